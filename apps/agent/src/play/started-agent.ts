import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, sleep } from '@rxlet/component-base';
import { AgentConnectionError, connectToAgent } from '../commands/agent-connection.ts';
import { socketPath } from '../config/standard-places.ts';
import { rejectUntrusted } from '../node/prepare-directories.ts';

const RECORD = 'play.json';
const LOG = 'play.log';
const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** Returns the folder of manifests of an agent that is started to play a file. */
export function playFolder(rootDirectory: string): string {
  return join(rootDirectory, 'play');
}

/**
 * Starts an agent with these flags in the background, and waits until it answers. It runs until {@link endStartedAgent}, or ends with a failure of this call.
 * @throws AgentConnectionError with the end of its log when it ends
 * @throws ConfigError for a root directory that another user could change
 */
export async function startAgent(
  rootDirectory: string,
  flags: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  await mkdir(rootDirectory, { recursive: true, mode: 0o700 });
  // The agent itself does so as well, but its log is opened before it starts.
  await rejectUntrusted(resolve(rootDirectory), 'root directory', '--root-dir');
  await mkdir(playFolder(rootDirectory), { recursive: true, mode: 0o700 });
  const logPath = join(rootDirectory, LOG);
  const log = await open(logPath, 'a', 0o600);
  const [program = ''] = process.argv.slice(1);
  const places = ['--root-dir', rootDirectory, '--pod-manifest-path', playFolder(rootDirectory)];
  const child = spawn(process.execPath, [...process.execArgv, program, ...flags, ...places], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let end: string | undefined;
  child.once('error', (error) => (end = error.message));
  child.once('exit', (code, killedBy) => (end = `it ended with ${killedBy ?? `exit code ${String(code)}`}`));
  child.unref();
  await log.close();
  const connection = connectToAgent(socketPath(rootDirectory));
  const deadlineMs = clock.monotonicNow() + START_TIMEOUT_MS;
  try {
    for (;;) {
      const isUp = await connection.getJson('/pods', signal).then(
        () => true,
        () => false,
      );
      if (isUp && child.pid !== undefined) break;
      if (end !== undefined || clock.monotonicNow() >= deadlineMs) {
        const lines = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-3);
        throw new AgentConnectionError(
          `cannot start an agent: ${end ?? 'it does not answer'}\n  ${lines.join('\n  ')}\n  (all of its log: ${logPath})`,
        );
      }
      await sleep(clock, POLL_MS, signal);
    }
    const record = { pid: child.pid, startTime: await startTimeOf(child.pid) };
    await writeFile(join(rootDirectory, RECORD), JSON.stringify(record), { mode: 0o600 });
  } catch (error) {
    // Also when the command is interrupted: without its record, nothing would end the agent.
    child.kill('SIGTERM');
    throw error;
  }
}

/** Reports whether the agent of a root directory was started to play a file, and still runs. */
export async function isStartedAgent(rootDirectory: string): Promise<boolean> {
  return (await startedPid(rootDirectory)) !== undefined;
}

/** Ends the agent that was started to play a file, if it runs, and waits for its end. @returns whether there was one */
export async function endStartedAgent(
  rootDirectory: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const pid = await startedPid(rootDirectory);
  if (pid === undefined) return false;
  process.kill(pid, 'SIGTERM');
  const deadlineMs = clock.monotonicNow() + END_TIMEOUT_MS;
  while ((await startedPid(rootDirectory)) !== undefined) {
    if (clock.monotonicNow() >= deadlineMs)
      throw new AgentConnectionError(
        `the agent (process ${String(pid)}) does not end: see ${join(rootDirectory, LOG)}`,
      );
    await sleep(clock, POLL_MS, signal);
  }
  await rm(join(rootDirectory, RECORD), { force: true });
  return true;
}

/** Returns the process that was recorded, if it still is that process: another one with its id has another start time. */
async function startedPid(rootDirectory: string): Promise<number | undefined> {
  const text = await readFile(join(rootDirectory, RECORD), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { pid, startTime } = parseRecord(text);
  return pid !== undefined && startTime && (await startTimeOf(pid)) === startTime ? pid : undefined;
}

function parseRecord(text: string): { readonly pid?: number; readonly startTime?: string } {
  try {
    return JSON.parse(text) as { readonly pid: number; readonly startTime: string };
  } catch {
    // A full disk left it incomplete, and then the agent was ended.
    return {};
  }
}

/** Field of `/proc/PID/stat` with the start time, counted after the name, which may have blanks. */
const START_TIME_FIELD = 19;

async function startTimeOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended.
  return state === 'Z' ? '' : (fields[START_TIME_FIELD - 1] ?? '');
}
