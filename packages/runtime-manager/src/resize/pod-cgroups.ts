import type { Pod } from '@rxlet/kube-api';

/** Values of a pod's cgroup that a resize changes; -1 is for no limit. */
export interface PodCgroupValues {
  /** cgroup v1 `cpu.shares`, or what stands for `cpu.weight` in them. */
  readonly cpuShares: number;
  /** Microseconds a period. */
  readonly cpuQuotaUs: number;
  readonly cpuPeriodUs: number;
  readonly memoryLimitBytes: number;
}

/** The cgroups of pods, above those of their containers: the port of whoever keeps them. */
export interface PodCgroups {
  read(pod: Pod, signal?: AbortSignal): Promise<PodCgroupValues>;
  /** Sets the given values and leaves the others. */
  write(pod: Pod, values: Partial<PodCgroupValues>, signal?: AbortSignal): Promise<void>;
}
