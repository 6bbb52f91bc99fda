import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock } from '@rxlet/component-base';

/** The workspace's folder. */
export const workspace: string = fileURLToPath(new URL('../..', import.meta.url));

/** Clock ticks a second in /proc, fixed on Linux. */
const TICKS_PER_SECOND = 100;

/** CPU time and memory of a process. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
  /** Proportional share of it (PSS): shared pages are divided by their users. */
  readonly pssMb: number;
  /** The largest RSS so far. */
  readonly peakMb: number;
}

/** A process of the project that is measured. */
export interface MeasuredProcess extends AsyncDisposable {
  usage(): Promise<Usage>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** Starts a program, without its output; disposing of it sends SIGTERM and waits for the end. `environment` adds to that of this process. */
export function startProcess(
  [program, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): MeasuredProcess {
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // Leaves no process behind when the benchmark ends without disposing of it.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  void ended.then(() => process.off('exit', kill));
  return {
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    usage: () => usageOf(child.pid!),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the usage of a running process. */
export async function usageOf(processId: number): Promise<Usage> {
  const pid = String(processId);
  const [stat, status, smaps] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const megabytes = (text: string, name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND,
    rssMb: megabytes(status, 'VmRSS'),
    pssMb: megabytes(smaps, 'Pss'),
    peakMb: megabytes(status, 'VmHWM'),
  };
}

/** Polls every few milliseconds until `condition` holds. @throws Error after `timeoutMs` */
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
