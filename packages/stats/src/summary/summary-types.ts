/**
 * Time of a measurement, in milliseconds since the Unix epoch. 0: there was none, which JSON shows as null. {@link formatSummary} turns it into the API's text.
 */
export type MeasuredMs = number;

/** Answer of `/stats/summary` (API `stats/v1alpha1`). Amounts that were not measured are absent. */
export interface Summary {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

/** Statistics of the node. */
export interface NodeStats {
  readonly nodeName: string;
  /** Cgroups of the system and of all pods. */
  readonly systemContainers?: readonly ContainerStats[];
  readonly startTime: MeasuredMs;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly network?: NetworkStats;
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats };
  readonly rlimit?: RlimitStats;
  readonly swap?: SwapStats;
}

/** Statistics of a pod. */
export interface PodStats {
  readonly podRef: PodReference;
  readonly startTime: MeasuredMs;
  /** `null` for a pod without measured containers, as in the API. */
  readonly containers: readonly ContainerStats[] | null;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: { readonly process_count?: number };
  readonly swap?: SwapStats;
}

/** Identity of a measured pod. */
export interface PodReference {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Statistics of a container, or of a cgroup of the system. */
export interface ContainerStats {
  readonly name: string;
  readonly startTime: MeasuredMs;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
  readonly swap?: SwapStats;
}

export interface CpuStats {
  readonly time: MeasuredMs;
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: PsiStats;
}

export interface MemoryStats {
  readonly time: MeasuredMs;
  /** Limit less working set; absent without a limit. */
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  readonly psi?: PsiStats;
}

export interface IoStats {
  readonly time: MeasuredMs;
  readonly psi?: PsiStats;
}

export interface SwapStats {
  readonly time: MeasuredMs;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

/** Pressure stall information. */
export interface PsiStats {
  readonly full: PsiData;
  readonly some: PsiData;
}

export interface PsiData {
  /** As the kernel counts it, in microseconds, although the API speaks of nanoseconds. */
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

/** Statistics of the default interface, and of all. */
export interface NetworkStats extends InterfaceStats {
  readonly time: MeasuredMs;
  readonly interfaces?: readonly InterfaceStats[];
}

/** Space on a file system. */
export interface FsStats {
  readonly time: MeasuredMs;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
}

export interface RlimitStats {
  readonly time: MeasuredMs;
  readonly maxpid?: number;
  readonly curproc?: number;
}
