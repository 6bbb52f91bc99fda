import { spawn } from 'node:child_process';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { type Clock, sleep } from '@rxlet/component-base';

/** How to run a process. */
export interface ProcessCommand {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/** End of a process. */
export interface ProcessExit {
  readonly exitCode: number;
  readonly finishedAtMs: number | undefined;
}

/** A process, and its descendants of the same group, that outlives the agent which started it. */
export interface SupervisedProcess {
  readonly startedAtMs: number;
  /** Resolves with the end; `undefined` when it left no trace, as after a kill. Rejects when the signal aborts. */
  ended(signal: AbortSignal): Promise<ProcessExit | undefined>;
  /** Sends a signal to all its processes. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Id of its process group. */
  readonly groupId: number;
}

/** A process that an earlier agent has started. */
export interface FoundProcess {
  /** Id of its process group; 0 when it has ended. */
  readonly groupId: number;
  /** Its start in clock ticks since the boot: with its id, that identifies it. */
  readonly startTicks: string;
  readonly startedAtMs: number;
}

/** How to wait. */
export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Period in which the end of a process is looked for that another agent has started. */
const POLL_MS = 250;

const SHELL = '/bin/sh';
/**
 * Runs `"$@"` and records its exit code and time in `$0.exit`. The shell survives SIGTERM, which the whole group gets, so that it can do so; the command
 * has the default action.
 */
const SUPERVISOR = `trap : TERM; "$@"; code=$?; echo "$code $(date +%s%3N)" > "$0.exit.new"; mv "$0.exit.new" "$0.exit"`;

/** Arguments of a supervisor before the path of its files. */
const SUPERVISOR_ARGUMENTS = ['-c', SUPERVISOR] as const;

/** Starts a process whose output and end are in files that begin with `path`. */
export async function startProcess(
  path: string,
  { command, environment, workingDirectory }: ProcessCommand,
  clock: Clock,
): Promise<SupervisedProcess> {
  let log: FileHandle | undefined;
  try {
    log = await open(`${path}.log`, 'a', 0o600);
    const child = spawn(SHELL, [...SUPERVISOR_ARGUMENTS, path, ...command], {
      detached: true,
      cwd: workingDirectory,
      env: environment,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // The agent may end before it.
    child.unref();
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return supervised(path, child.pid!, Math.floor(clock.now()), clock, exited);
  } finally {
    await log?.close();
  }
}

/** Returns a process that an earlier agent has started; `undefined` when the id belongs to another process by now. */
export async function findProcess(
  path: string,
  { groupId, startTicks, startedAtMs }: FoundProcess,
  waiting: Waiting,
): Promise<SupervisedProcess | undefined> {
  const isSame = (await readStartTicks(groupId, waiting)) === startTicks;
  return isSame ? supervised(path, groupId, startedAtMs, waiting.clock) : undefined;
}

/**
 * Finds the process that an agent has started for a path, and was killed before it recorded it, also when it has ended since; `undefined` when there is none.
 */
export async function findUnrecorded(path: string, waiting: Waiting): Promise<FoundProcess | undefined> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || !(await isOwn(pid))) continue;
    const text = await readFileIfAny(`/proc/${pid}/cmdline`, waiting);
    if (text?.startsWith([SHELL, ...SUPERVISOR_ARGUMENTS, path, ''].join('\0')) !== true) continue;
    const status = await readStatus(Number(pid), waiting);
    // A shell that the supervisor has just forked has its command line.
    if (status === undefined || status.groupId !== Number(pid)) continue;
    return { ...status, startedAtMs: await logCreation(path, waiting.clock) };
  }
  if ((await readExit(path, waiting)) === undefined) return undefined;
  return { groupId: 0, startTicks: '', startedAtMs: await logCreation(path, waiting.clock) };
}

/** Reports whether a process has the user of the agent; others may choose any command line. */
async function isOwn(pid: string): Promise<boolean> {
  const owner = await stat(`/proc/${pid}`).then(
    ({ uid }) => uid,
    () => undefined,
  );
  return owner === process.geteuid?.();
}

/** Returns when the log of a process was created, which is just before its start; now when the log is gone. */
async function logCreation(path: string, clock: Clock): Promise<number> {
  const createdMs = await stat(`${path}.log`).then(
    ({ birthtimeMs }) => birthtimeMs,
    () => clock.now(),
  );
  return Math.floor(createdMs);
}

/** Reads the recorded end of a process; `undefined` while there is none. A full disk may have left an empty one. */
export async function readExit(path: string, waiting: Waiting): Promise<ProcessExit | undefined> {
  const text = await readFileIfAny(`${path}.exit`, waiting);
  const [, exitCode, finishedAtMs] = /^(\d+) (\d+)$/m.exec(text ?? '') ?? [];
  return exitCode === undefined ? undefined : { exitCode: Number(exitCode), finishedAtMs: Number(finishedAtMs) };
}

/** Reads when a process started, in clock ticks since the boot: with its id, that identifies it. `undefined`: there is none, or it has ended. */
export async function readStartTicks(pid: number, waiting: Waiting): Promise<string | undefined> {
  return (await readStatus(pid, waiting))?.startTicks;
}

/** Reads the group of a process, and when it started; `undefined`: there is none, or it has ended. */
async function readStatus(pid: number, waiting: Waiting): Promise<Omit<FoundProcess, 'startedAtMs'> | undefined> {
  const text = await readFileIfAny(`/proc/${String(pid)}/stat`, waiting);
  // The name of the program, in parentheses, may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, , groupId] = fields;
  const startTicks = fields[19];
  if (state === 'Z' || groupId === undefined || startTicks === undefined) return undefined;
  return { groupId: Number(groupId), startTicks };
}

/** Returns the content of a file; `undefined` when it cannot be read. Waits for a file descriptor: its lack says nothing about the process. */
async function readFileIfAny(path: string, { clock, signal }: Waiting): Promise<string | undefined> {
  for (;;) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
    }
    await sleep(clock, POLL_MS, signal);
  }
}

function supervised(
  path: string,
  groupId: number,
  startedAtMs: number,
  clock: Clock,
  exited?: Promise<void>,
): SupervisedProcess {
  const untilGone = async (signal: AbortSignal): Promise<void> => {
    while ((await readStartTicks(groupId, { clock, signal })) !== undefined) await sleep(clock, POLL_MS, signal);
  };
  return {
    groupId,
    startedAtMs,
    async ended(signal) {
      const polled = untilGone(signal);
      polled.catch(() => undefined);
      await Promise.race([polled, ...(exited === undefined ? [] : [exited])]);
      return readExit(path, { clock, signal });
    },
    signal(name) {
      try {
        process.kill(-groupId, name);
      } catch {
        // It has ended.
      }
    },
  };
}
