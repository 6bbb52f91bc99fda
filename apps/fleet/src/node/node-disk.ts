import type { Clock } from '@rxlet/component-base';
import type { ReadFsStats } from '@rxlet/image-manager/gc';
import type { FileSystems, FileSystemUsage } from '@rxlet/stats';

/** Disk of a node, with images, volumes and logs on one file system. */
export interface NodeDisk {
  readonly capacityBytes: number;
  /** Bytes in use; a fault may fill the disk. */
  usedBytes: number;
  readonly fileSystems: FileSystems;
  readonly readFsStats: ReadFsStats;
}

const INODES = 10_000_000;

/** Creates an empty {@link NodeDisk}. */
export function createNodeDisk(clock: Pick<Clock, 'now'>, capacityBytes: number): NodeDisk {
  const measure = async (): Promise<FileSystemUsage> => ({
    timeMs: clock.now(),
    capacityBytes,
    availableBytes: capacityBytes - disk.usedBytes,
    usedBytes: disk.usedBytes,
    inodes: INODES,
    inodesFree: INODES,
  });
  const disk: NodeDisk = {
    capacityBytes,
    usedBytes: 0,
    fileSystems: { root: measure, at: measure, isOnRoot: async () => true },
    readFsStats: async () => ({ capacityBytes, availableBytes: capacityBytes - disk.usedBytes }),
  };
  return disk;
}
