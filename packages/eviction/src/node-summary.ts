/**
 * The part of the node's statistics (`/stats/summary`) that decides evictions. Amounts that were not measured are absent. Times are in milliseconds since the Unix
 * epoch; 0 stands for an unknown time.
 */
export interface NodeSummary {
  readonly node: {
    readonly memory?: MemoryUse;
    readonly fs?: FileSystemUse;
    readonly runtime?: { readonly imageFs?: FileSystemUse; readonly containerFs?: FileSystemUse };
    readonly rlimit?: { readonly time: number; readonly maxpid?: number; readonly curproc?: number };
    readonly systemContainers?: readonly { readonly name: string; readonly memory?: MemoryUse }[];
  };
  readonly pods: readonly PodUse[];
}

/** Memory that is in use, and that is left. */
export interface MemoryUse {
  readonly time: number;
  readonly availableBytes?: number;
  readonly workingSetBytes?: number;
}

/** Space and inodes of a file system. */
export interface FileSystemUse extends DiskUse {
  readonly time: number;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
}

/** Space and inodes that a part of a pod uses. */
export interface DiskUse {
  readonly usedBytes?: number;
  readonly inodesUsed?: number;
}

/** Resources that a pod uses. */
export interface PodUse {
  readonly podRef: { readonly uid: string };
  readonly memory?: { readonly workingSetBytes?: number };
  readonly process_stats?: { readonly process_count?: number };
  readonly 'ephemeral-storage'?: DiskUse;
  readonly containers: readonly ContainerUse[] | null;
  readonly volume?: readonly (DiskUse & { readonly name: string })[];
}

/** Resources that a container uses. */
export interface ContainerUse {
  readonly name: string;
  readonly memory?: { readonly workingSetBytes?: number };
  readonly rootfs?: DiskUse;
  readonly logs?: DiskUse;
}
