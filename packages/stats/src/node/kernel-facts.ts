import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { RlimitStats } from '../summary/summary-types.ts';

const TICKS_PER_SECOND = 100;

/** Returns when the machine was started, in milliseconds since the epoch; 0 when it is not known. */
export function bootTimeMs(files: Pick<KernelFiles, 'read'>): number {
  return Number(/^btime (\d+)$/m.exec(files.read('/proc/stat') ?? '')?.[1] ?? 0) * 1000;
}

/** Returns when this process was started, in seconds since the epoch; `undefined` when it is not known. */
export function processStartSeconds(files: Pick<KernelFiles, 'read'>): number | undefined {
  // The name of the program, in brackets, may have any characters in it.
  const fields = (files.read('/proc/self/stat') ?? '').replace(/^.*\) /s, '').split(' ');
  const bootMs = bootTimeMs(files);
  return fields.length < 20 || bootMs === 0 ? undefined : bootMs / 1000 + Number(fields[19]) / TICKS_PER_SECOND;
}

/** Returns how many processes, threads included, the machine has and may have. */
export function rlimitStats(files: Pick<KernelFiles, 'read'>, nowMs: number): RlimitStats {
  const limits = ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max'].map((path) => Number(files.read(path)));
  const known = limits.filter((limit) => limit > 0);
  const current = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(files.read('/proc/loadavg') ?? '')?.[1];
  return {
    time: nowMs,
    ...(known.length > 0 && { maxpid: Math.min(...known) }),
    ...(current !== undefined && { curproc: Number(current) }),
  };
}
