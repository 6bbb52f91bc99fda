import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock } from '@rxlet/component-base';

/** The workspace's folder. */
export const workspace: string = fileURLToPath(new URL('../..', import.meta.url));

/** Clock ticks a second in /proc, fixed on Linux. */
const TICKS_PER_SECOND = 100;

/** What a process has used. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** A process of the project that is measured. */
export interface MeasuredProcess extends AsyncDisposable {
  usage(): Promise<Usage>;
}

/** Starts a command of the workspace, without its output; disposing of it sends SIGTERM and waits for the end. */
export function startProcess(command: 'rxlet' | 'fake-runtime', args: readonly string[]): MeasuredProcess {
  const child: ChildProcess = spawn(`${workspace}/node_modules/.bin/${command}`, args, {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // Nothing is left behind when the benchmark fails where nobody waits.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    async usage() {
      const pid = String(child.pid);
      const [stat, status] = await Promise.all([
        readFile(`/proc/${pid}/stat`, 'utf8'),
        readFile(`/proc/${pid}/status`, 'utf8'),
      ]);
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return {
        cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND,
        rssMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024,
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}

/** Looks every few milliseconds until `condition` holds. @throws Error after `timeoutMs` */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  timeoutMs = 120_000,
  periodMs = 5,
): Promise<void> {
  const endMs = systemClock.monotonicNow() + timeoutMs;
  while (!(await condition())) {
    if (systemClock.monotonicNow() > endMs) throw new Error(`${what}: not within ${String(timeoutMs / 1000)} s`);
    await sleep(systemClock, periodMs);
  }
}
