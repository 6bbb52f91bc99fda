import { type ServiceKey, serviceKey } from './service-key.ts';

/** Statistics of the node and its pods. Nothing is measured but on request. */
export const nodeStatistics: ServiceKey<NodeStatistics> = serviceKey('node statistics');

/** Measures the node, for parts that watch its resources. */
export interface NodeStatistics {
  /**
   * Measures the node and pods. Rejects when the node, or the file system of its images, cannot be measured. The cost grows with the number of measured pods; without any
   * it is that of a few files and one call of the runtime.
   *
   * @param pods UIDs of the pods to measure; default: all
   */
  summary(signal?: AbortSignal, pods?: ReadonlySet<string>): Promise<NodeSummary>;
  /** Measures only the memory of the node and of the cgroup of all pods. It reads a few files of the kernel and calls nothing. */
  memory(): NodeMemory;
  /** Returns which file systems hold images and writable layers. */
  fileSystemLayout(signal?: AbortSignal): Promise<FileSystemLayout>;
}

/** Memory of the node; a part that cannot be measured is absent. */
export interface NodeMemory {
  readonly node?: MemoryUse | undefined;
  readonly pods?: MemoryUse | undefined;
}

/** File systems of images and of containers' writable layers. */
export type FileSystemLayout =
  /** All on the file system of the node. */
  | 'shared'
  /** Images and writable layers on one of their own. */
  | 'dedicated'
  /** Images on one of their own, writable layers on the node's. */
  | 'split'
  /** Images on that of the node, writable layers on one of their own. */
  | 'separateContainers';

/**
 * Statistics of the node (part of `/stats/summary`). Amounts that were not measured are absent. Times are in milliseconds since the Unix epoch; 0 stands for an unknown
 * time.
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
