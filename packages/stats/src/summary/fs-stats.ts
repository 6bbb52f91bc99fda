import type { FsStats } from './summary-types.ts';

/** A file system at one moment. */
export interface FileSystemUsage {
  readonly timeMs: number;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  /** Absent for file systems without inodes. */
  readonly inodes?: number;
  readonly inodesFree?: number;
}

/** Space that files use; without amounts when there are none. */
export interface DiskUsage {
  readonly timeMs: number;
  readonly usedBytes?: number | undefined;
  readonly inodesUsed?: number | undefined;
}

/** Returns the free space of a file system, without what is used of it. */
export function freeSpace({
  capacityBytes,
  availableBytes,
  inodes,
  inodesFree,
}: FileSystemUsage): Omit<FsStats, 'time'> {
  return {
    availableBytes,
    capacityBytes,
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
  };
}

/** Returns the statistics of files on a file system. */
export function usageOn(fileSystem: FileSystemUsage, { timeMs, usedBytes, inodesUsed }: DiskUsage): FsStats {
  return {
    time: timeMs,
    ...freeSpace(fileSystem),
    ...(usedBytes !== undefined && { usedBytes }),
    ...(inodesUsed !== undefined && { inodesUsed }),
  };
}

/** Adds amounts of which either may be unknown. */
export function addKnown(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined ? second : first + (second ?? 0);
}
