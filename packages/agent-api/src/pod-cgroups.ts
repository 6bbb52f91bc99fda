import type { Pod } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Cgroups of pods. Without a provider the runtime chooses the cgroups of containers, and limits of a pod as a whole are not enforced. */
export const podCgroups: ServiceKey<PodCgroups> = serviceKey('pod cgroups');

/** Values of a pod's cgroup that a resize changes. -1 means no limit. */
export interface PodCgroupValues {
  /** cgroup v1 `cpu.shares`; for cgroup v2 `cpu.weight` is converted. */
  readonly cpuShares: number;
  /** CFS quota, in microseconds per period. */
  readonly cpuQuotaUs: number;
  readonly cpuPeriodUs: number;
  readonly memoryLimitBytes: number;
}

/** Cgroups of pods, the parents of the cgroups of containers. They exist from the preparation of a pod to its teardown. */
export interface PodCgroups {
  /** Returns `cgroup_parent` of the pod's sandbox, in the notation of the runtime's cgroup driver; empty when the runtime chooses. */
  parentOf(pod: Pod): string;
  /** Returns the path of the cgroup of all pods, from the root of the cgroup file system; `undefined` when pods have no managed cgroups. */
  podsPath(): string | undefined;
  /** Returns the current values; `undefined` when pods have no managed cgroups. Rejects when the pod's cgroup does not exist. */
  read(pod: Pod, signal?: AbortSignal): Promise<PodCgroupValues | undefined>;
  /** Sets the given values and leaves the others. */
  write(pod: Pod, values: Partial<PodCgroupValues>, signal?: AbortSignal): Promise<void>;
}
