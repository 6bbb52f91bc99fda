import { memoryInfoBytes } from '@rxlet/machine';
import { parseIoStat } from './block-devices.ts';
import { createdAt, isCgroupName } from './cgroup-directory.ts';
import type { CgroupReader, CpuSample, MemorySample } from './cgroup-sample.ts';
import type { KernelFiles } from './kernel-files.ts';
import { parseKeyedNumbers, parseLimit, parseNumber, parsePressure } from './parse-values.ts';

/** Creates a {@link CgroupReader} for cgroup v2, mounted at `mount`. */
export function versionTwoReader(files: KernelFiles, mount: string): CgroupReader {
  const directoryOf = (path: string): string => (path === '/' ? mount : mount + path);
  const read = (path: string, file: string): string | undefined => files.read(`${directoryOf(path)}/${file}`);
  const cpuOf = (path: string): CpuSample | undefined => {
    const text = read(path, 'cpu.stat');
    if (text === undefined) return undefined;
    const stat = parseKeyedNumbers(text);
    const nanoseconds = (name: string): number => (stat.get(name) ?? 0) * 1000;
    return {
      usageNanoseconds: nanoseconds('usage_usec'),
      userNanoseconds: nanoseconds('user_usec'),
      systemNanoseconds: nanoseconds('system_usec'),
      throttling: {
        periods: stat.get('nr_periods') ?? 0,
        throttledPeriods: stat.get('nr_throttled') ?? 0,
        throttledNanoseconds: nanoseconds('throttled_usec'),
        burstPeriods: stat.get('nr_bursts') ?? 0,
        burstNanoseconds: nanoseconds('burst_usec'),
      },
      psi: parsePressure(pressure(path, 'cpu')),
    };
  };
  /** The pressure of the root is that of the system. */
  const pressure = (path: string, resource: string): string | undefined =>
    read(path, `${resource}.pressure`) ?? (path === '/' ? files.read(`/proc/pressure/${resource}`) : undefined);
  const memoryOf = (path: string): MemorySample | undefined => {
    const text = read(path, 'memory.stat');
    if (text === undefined) return undefined;
    const stat = parseKeyedNumbers(text);
    const valueOf = (name: string): number => stat.get(name) ?? 0;
    // The root has no amounts of its own: the kernel counts them for the whole system.
    const current = parseNumber(read(path, 'memory.current'));
    const meminfo = current === undefined ? files.read('/proc/meminfo') : undefined;
    const swapOfSystem =
      meminfo === undefined
        ? 0
        : (memoryInfoBytes(meminfo, 'SwapTotal') ?? 0) - (memoryInfoBytes(meminfo, 'SwapFree') ?? 0);
    return {
      usageBytes: current ?? valueOf('anon') + valueOf('file'),
      cacheBytes: valueOf('file'),
      rssBytes: valueOf('anon'),
      swapBytes: parseNumber(read(path, 'memory.swap.current')) ?? swapOfSystem,
      mappedFileBytes: valueOf('file_mapped'),
      activeFileBytes: valueOf('active_file'),
      inactiveFileBytes: valueOf('inactive_file'),
      pageFaults: valueOf('pgfault'),
      majorPageFaults: valueOf('pgmajfault'),
      limitBytes: parseLimit(read(path, 'memory.max')),
      swapLimitBytes: parseLimit(read(path, 'memory.swap.max') ?? '0'),
      psi: parsePressure(pressure(path, 'memory')),
    };
  };

  return {
    sample(path, nowMs) {
      const [cpu, memory] = [cpuOf(path), memoryOf(path)];
      return cpu === undefined && memory === undefined ? undefined : { path, timeMs: nowMs, cpu, memory };
    },
    details(path) {
      const [quota, period] = (read(path, 'cpu.max') ?? '').trim().split(' ');
      const memoryEvents = parseKeyedNumbers(read(path, 'memory.events'));
      const weight = parseNumber(read(path, 'cpu.weight'));
      return {
        createdMs: this.createdMs(path),
        cpuShares: weight === undefined ? 0 : 2 + Math.trunc(((weight - 1) * 262_142) / 9999),
        cpuQuotaUs: parseLimit(quota),
        cpuPeriodUs: parseNumber(period) ?? 0,
        memoryMaxUsageBytes: parseNumber(read(path, 'memory.peak')) ?? 0,
        memoryFailures: memoryEvents.get('max') ?? 0,
        memoryReservationBytes: parseLimit(read(path, 'memory.min')),
        kernelMemoryBytes: parseKeyedNumbers(read(path, 'memory.stat')).get('kernel') ?? 0,
        outOfMemoryKills: memoryEvents.get('oom_kill') ?? 0,
        threads: parseNumber(read(path, 'pids.current')) ?? 0,
        threadsMax: parseLimit(read(path, 'pids.max')),
        devices: parseIoStat(read(path, 'io.stat')),
      };
    },
    createdMs: (path) => createdAt(files, directoryOf(path), 'cgroup.events'),
    ioPressure: (path) => parsePressure(pressure(path, 'io')),
    hasIo: true,
    processes: (path) => (read(path, 'cgroup.procs') ?? '').split('\n').map(Number).filter(Boolean),
    async children(path) {
      const names = (await files.list(directoryOf(path))).filter(isCgroupName);
      return names.map((name) => (path === '/' ? `/${name}` : `${path}/${name}`));
    },
  };
}
