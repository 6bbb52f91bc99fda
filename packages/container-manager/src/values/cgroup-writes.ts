import type { CgroupValues } from './cgroup-values.ts';

/** Controllers whose files the agent writes. */
export type CgroupController = 'cpu' | 'cpuset' | 'memory' | 'pids' | 'hugetlb';

/** One value to be written to a file of a cgroup. */
export interface CgroupWrite {
  readonly controller: CgroupController;
  readonly file: string;
  readonly content: string;
  /** Whether kernels may lack the file. It is then skipped. */
  readonly optional?: boolean;
}

/** Facts about a node's cgroup file system that the files of a cgroup depend on. */
export interface CgroupFormat {
  readonly version: 1 | 2;
  /** Huge page sizes of the node in bytes. */
  readonly hugePageSizes: readonly HugePageSize[];
}

/** A huge page size of the node. */
export interface HugePageSize {
  readonly bytes: string;
  /** In the kernel's notation, such as `2MB`. */
  readonly name: string;
}

/** Limit by which the kubelet lets a cgroup use all huge pages. */
const UNLIMITED_HUGE_PAGES = 1n << 62n;
const DEFAULT_PERIOD_US = 100_000;

/** Returns the files of a cgroup with the contents that put the values into effect, in the order in which they must be written. */
export function cgroupWrites(values: CgroupValues, format: CgroupFormat): readonly CgroupWrite[] {
  const resources = format.version === 1 ? versionOneWrites(values) : versionTwoWrites(values);
  return [...resources, ...pidsWrites(values), ...hugePageWrites(values, format)];
}

/** Returns the weight of cgroup v2 for shares of cgroup v1, by the linear formula of the kubelet. */
export function sharesToWeight(shares: number): number {
  if (shares >= 262_144) return 10_000;
  return 1 + Math.trunc(((Math.max(shares, 2) - 2) * 9999) / 262_142);
}

/** Returns the shares of cgroup v1 for a weight of cgroup v2. The way back from {@link sharesToWeight} is not exact. */
export function weightToShares(weight: number): number {
  return Math.trunc(((weight - 1) * 262_142) / 9999) + 2;
}

function versionOneWrites(values: CgroupValues): CgroupWrite[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, cpus, memoryLimitBytes } = values;
  return [
    ...write('cpu', 'cpu.shares', cpuShares),
    ...write('cpu', 'cpu.cfs_period_us', cpuPeriodUs),
    ...write('cpu', 'cpu.cfs_quota_us', nonZero(cpuQuotaUs)),
    ...write('cpuset', 'cpuset.cpus', cpus),
    ...write('memory', 'memory.limit_in_bytes', nonZero(memoryLimitBytes)),
  ];
}

function versionTwoWrites(values: CgroupValues): CgroupWrite[] {
  const { cpuShares, cpus, memoryLimitBytes, memoryMinBytes, memoryLowBytes } = values;
  return [
    ...write('cpu', 'cpu.weight', cpuShares === undefined ? undefined : sharesToWeight(cpuShares)),
    ...write('cpu', 'cpu.max', cpuMax(values)),
    ...write('cpuset', 'cpuset.cpus', cpus),
    ...write('memory', 'memory.max', memoryLimitBytes === -1 ? 'max' : nonZero(memoryLimitBytes)),
    ...write('memory', 'memory.min', memoryMinBytes),
    ...write('memory', 'memory.low', memoryLowBytes),
  ];
}

function cpuMax({ cpuQuotaUs = 0, cpuPeriodUs = 0 }: CgroupValues): string | undefined {
  if (cpuQuotaUs === 0 && cpuPeriodUs === 0) return undefined;
  return `${cpuQuotaUs > 0 ? String(cpuQuotaUs) : 'max'} ${String(cpuPeriodUs === 0 ? DEFAULT_PERIOD_US : cpuPeriodUs)}`;
}

function pidsWrites({ pidsLimit }: CgroupValues): CgroupWrite[] {
  return write('pids', 'pids.max', pidsLimit === -1 ? 'max' : nonZero(pidsLimit));
}

function hugePageWrites({ hugePageLimits }: CgroupValues, { version, hugePageSizes }: CgroupFormat): CgroupWrite[] {
  if (hugePageLimits === undefined) return [];
  const suffix = version === 1 ? 'limit_in_bytes' : 'max';
  return hugePageSizes.flatMap(({ bytes, name }) => {
    const limit = hugePageLimits === 'unlimited' ? UNLIMITED_HUGE_PAGES : BigInt(hugePageLimits[bytes] ?? 0);
    const content = String(limit);
    return [
      { controller: 'hugetlb', file: `hugetlb.${name}.${suffix}`, content },
      { controller: 'hugetlb', file: `hugetlb.${name}.rsvd.${suffix}`, content, optional: true },
    ] as const;
  });
}

function write(controller: CgroupController, file: string, value: number | string | undefined): CgroupWrite[] {
  return value === undefined ? [] : [{ controller, file, content: String(value) }];
}

/** The kernel's interface library of the kubelet takes 0 as "not set". */
function nonZero(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}
