import type { CpuStats, IoStats, MemoryStats, NetworkStats, SwapStats } from './summary-types.ts';

/** Statistics that the agent measured itself, in a cgroup. */
export interface CgroupStats {
  readonly cpu: CpuStats;
  readonly memory: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  /** Only of the cgroup of a sandbox, and of the root. */
  readonly network?: NetworkStats;
  readonly processes?: number;
}

/** Statistics of the cgroups of pods, all of about the same moment. */
export interface PodCgroupStats {
  /** Returns those of a pod's cgroup; `undefined` when it has none. */
  ofPod(podUid: string): CgroupStats | undefined;
  /** Returns those of a container or of a sandbox. */
  ofContainer(id: string): CgroupStats | undefined;
}

/** There are no cgroups that the agent could measure. */
export const noCgroupStats: PodCgroupStats = { ofPod: () => undefined, ofContainer: () => undefined };
