/** Values of a cgroup, independent of the version of the cgroup file system. Absent values stay as they are. */
export interface CgroupValues {
  /** cgroup v1 `cpu.shares`; for cgroup v2 it is converted to `cpu.weight`. */
  readonly cpuShares?: number | undefined;
  /** CFS quota in microseconds per period; -1 for none. Set together with the period. */
  readonly cpuQuotaUs?: number | undefined;
  readonly cpuPeriodUs?: number | undefined;
  /** CPUs that the processes may use, as a kernel list such as `0-2,5`. */
  readonly cpus?: string | undefined;
  /** -1 for no limit. */
  readonly memoryLimitBytes?: number | undefined;
  /** Memory that is never reclaimed (cgroup v2 only). */
  readonly memoryMinBytes?: number | undefined;
  /** Memory that is reclaimed last (cgroup v2 only). */
  readonly memoryLowBytes?: number | undefined;
  readonly pidsLimit?: number | undefined;
  /**
   * Page size in bytes (decimal) → limit in bytes; `unlimited` for all sizes of the node. Sizes that the record lacks are limited to 0. Absent: the limits stay
   * as they are.
   */
  readonly hugePageLimits?: Readonly<Record<string, number>> | 'unlimited' | undefined;
}
