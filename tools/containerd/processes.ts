import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { errorMessage, sleep, systemClock } from '@rxlet/component-base';
import { searchPath } from './prerequisites.ts';

const COMMAND_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** A process of the machine, as /proc shows it. */
export interface ProcessInfo {
  readonly pid: number;
  readonly argv: readonly string[];
}

/**
 * Runs a program to its end and returns its standard output. Rejects with its standard error, or after `timeoutMs` (default 30 s; it is killed then).
 */
export function run(
  program: string,
  args: readonly string[],
  { timeoutMs = COMMAND_TIMEOUT_MS, input = '' }: { timeoutMs?: number | undefined; input?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, PATH: searchPath() },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else {
          const why = error.killed === true ? `no end within ${String(timeoutMs)} ms` : stderr.trim() || error.message;
          reject(new Error(`${program} ${args.join(' ')}: ${why}`, { cause: error }));
        }
      },
    );
    // A program that does not read its input may exit before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Polls until `condition` holds; rejects with `what` after `timeoutMs`. */
export async function until(
  what: string | (() => string),
  timeoutMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = systemClock.monotonicNow() + timeoutMs;
  while (!(await condition())) {
    if (systemClock.monotonicNow() > deadline) {
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${String(timeoutMs)} ms`);
    }
    await sleep(systemClock, POLL_MS);
  }
}

/** Returns the processes that satisfy `predicate`. */
export function findProcesses(predicate: (argv: readonly string[], pid: number) => boolean): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), argv: (readProc(name, 'cmdline') ?? '').split('\0').slice(0, -1) }))
    .filter(({ pid, argv }) => predicate(argv, pid));
}

/** Returns a variable of a process's initial environment; `undefined` if it has none or is gone. */
export function environmentVariable(pid: number, name: string): string | undefined {
  return readProc(String(pid), 'environ')
    ?.split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Returns when a process started, in the kernel's ticks; `undefined` if there is none (a zombie counts as none). With the id it identifies a process. */
export function processStartTime(pid: number): string | undefined {
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = readProc(String(pid), 'stat')?.split(') ').at(-1)?.split(' ');
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Sends SIGKILL to the processes and waits until they are gone. */
export async function killAndWait(processes: readonly ProcessInfo[], timeoutMs: number): Promise<void> {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await until(`end of processes ${processes.map(({ pid }) => pid).join(', ')}`, timeoutMs, () =>
    processes.every(({ pid }) => processStartTime(pid) === undefined),
  );
}

/** Runs all steps in order, also after failures; returns the messages of the failed ones. */
export async function attemptAll(steps: readonly (() => unknown)[]): Promise<string[]> {
  const failures: string[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(errorMessage(error));
    }
  }
  return failures;
}

function readProc(pid: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
