import type { CgroupMounts } from '@rxlet/machine';
import { readBlkio } from './block-devices.ts';
import { createdAt, isCgroupName } from './cgroup-directory.ts';
import type { CgroupReader, CpuSample, MemorySample } from './cgroup-sample.ts';
import type { KernelFiles } from './kernel-files.ts';
import { parseKeyedNumbers, parseLimit, parseNumber } from './parse-values.ts';

const NANOSECONDS_PER_TICK = 1e7;

/** Creates a {@link CgroupReader} for cgroup v1. */
export function versionOneReader(files: KernelFiles, { hierarchies }: Pick<CgroupMounts, 'hierarchies'>): CgroupReader {
  const directoryOf = (controller: string, path: string): string | undefined => {
    const mount = hierarchies.get(controller);
    return mount === undefined ? undefined : path === '/' ? mount : mount + path;
  };
  const read = (controller: string, path: string, file: string): string | undefined => {
    const directory = directoryOf(controller, path);
    return directory === undefined ? undefined : files.read(`${directory}/${file}`);
  };
  const cpuOf = (path: string): CpuSample | undefined => {
    const usageNanoseconds = parseNumber(read('cpuacct', path, 'cpuacct.usage'));
    if (usageNanoseconds === undefined) return undefined;
    const ticks = parseKeyedNumbers(read('cpuacct', path, 'cpuacct.stat'));
    const stat = parseKeyedNumbers(read('cpu', path, 'cpu.stat'));
    return {
      usageNanoseconds,
      userNanoseconds: (ticks.get('user') ?? 0) * NANOSECONDS_PER_TICK,
      systemNanoseconds: (ticks.get('system') ?? 0) * NANOSECONDS_PER_TICK,
      throttling: {
        periods: stat.get('nr_periods') ?? 0,
        throttledPeriods: stat.get('nr_throttled') ?? 0,
        throttledNanoseconds: stat.get('throttled_time') ?? 0,
        burstPeriods: stat.get('nr_bursts') ?? 0,
        burstNanoseconds: stat.get('burst_time') ?? 0,
      },
      psi: undefined,
    };
  };
  const memoryOf = (path: string): MemorySample | undefined => {
    const usageBytes = parseNumber(read('memory', path, 'memory.usage_in_bytes'));
    if (usageBytes === undefined) return undefined;
    const stat = parseKeyedNumbers(read('memory', path, 'memory.stat'));
    const valueOf = (name: string): number => stat.get(name) ?? 0;
    return {
      usageBytes,
      cacheBytes: valueOf('total_cache'),
      rssBytes: valueOf('total_rss'),
      swapBytes: valueOf('total_swap'),
      mappedFileBytes: valueOf('total_mapped_file'),
      activeFileBytes: valueOf('total_active_file'),
      inactiveFileBytes: valueOf('total_inactive_file'),
      // As cAdvisor: those of the cgroup's own processes.
      pageFaults: valueOf('pgfault'),
      majorPageFaults: valueOf('pgmajfault'),
      limitBytes: parseLimit(read('memory', path, 'memory.limit_in_bytes')),
      // Without accounting of swap the file is missing, and cAdvisor's limit is 0.
      swapLimitBytes: parseLimit(read('memory', path, 'memory.memsw.limit_in_bytes') ?? '0'),
      psi: undefined,
    };
  };

  return {
    sample(path, nowMs) {
      const [cpu, memory] = [cpuOf(path), memoryOf(path)];
      return cpu === undefined && memory === undefined ? undefined : { path, timeMs: nowMs, cpu, memory };
    },
    details(path) {
      const quota = parseNumber(read('cpu', path, 'cpu.cfs_quota_us'));
      return {
        createdMs: this.createdMs(path),
        cpuShares: parseNumber(read('cpu', path, 'cpu.shares')) ?? 0,
        cpuQuotaUs: quota === undefined || quota <= 0 ? undefined : quota,
        cpuPeriodUs: parseNumber(read('cpu', path, 'cpu.cfs_period_us')) ?? 0,
        memoryMaxUsageBytes: parseNumber(read('memory', path, 'memory.max_usage_in_bytes')) ?? 0,
        memoryFailures: parseNumber(read('memory', path, 'memory.failcnt')) ?? 0,
        memoryReservationBytes: parseLimit(read('memory', path, 'memory.soft_limit_in_bytes')),
        kernelMemoryBytes: parseNumber(read('memory', path, 'memory.kmem.usage_in_bytes')) ?? 0,
        outOfMemoryKills: parseKeyedNumbers(read('memory', path, 'memory.oom_control')).get('oom_kill') ?? 0,
        threads: parseNumber(read('pids', path, 'pids.current')) ?? 0,
        threadsMax: parseLimit(read('pids', path, 'pids.max')),
        devices: hierarchies.has('blkio') ? readBlkio((file) => read('blkio', path, file)) : new Map(),
      };
    },
    createdMs: (path) => createdAt(files, directoryOf('cpu', path), 'cgroup.clone_children'),
    ioPressure: () => undefined,
    hasIo: hierarchies.has('blkio'),
    processes: (path) => (read('cpu', path, 'cgroup.procs') ?? '').split('\n').map(Number).filter(Boolean),
    async children(path) {
      const directory = directoryOf('cpu', path);
      if (directory === undefined) return [];
      const names = (await files.list(directory)).filter(isCgroupName);
      return names.map((name) => (path === '/' ? `/${name}` : `${path}/${name}`));
    },
  };
}
