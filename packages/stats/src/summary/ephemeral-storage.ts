import { addKnown, type DiskUsage, type FileSystemUsage, freeSpace } from './fs-stats.ts';
import type { ContainerStats, FsStats, VolumeStats } from './summary-types.ts';

/** Files that a pod has on the node's disk. */
export interface EphemeralParts {
  readonly containers: readonly ContainerStats[];
  /** Volumes whose content ends with the pod and is on the node's file system. */
  readonly volumes: readonly VolumeStats[];
  /** Files in the pod's log directory itself. */
  readonly podLogs: DiskUsage | undefined;
  readonly etcHosts: DiskUsage | undefined;
}

/** Returns the usage of the node's file system by a pod: writable layers, logs, volumes and its hosts file. */
export function ephemeralStorage(rootFs: FileSystemUsage, parts: EphemeralParts): FsStats {
  const usages = [
    ...parts.containers.flatMap(({ rootfs, logs }) => (rootfs === undefined ? [] : [rootfs, logs])),
    ...parts.volumes,
    withTime(parts.podLogs),
    withTime(parts.etcHosts),
  ].filter((usage) => usage !== undefined);
  const usedBytes = usages.reduce<number | undefined>((sum, usage) => addKnown(sum, usage.usedBytes), undefined);
  const inodesUsed = usages.reduce<number | undefined>((sum, usage) => addKnown(sum, usage.inodesUsed), undefined);
  return {
    time: Math.max(rootFs.timeMs, ...usages.map(({ time }) => time)),
    ...freeSpace(rootFs),
    ...(usedBytes !== undefined && { usedBytes }),
    ...(inodesUsed !== undefined && { inodesUsed }),
  };
}

function withTime(usage: DiskUsage | undefined): Pick<FsStats, 'time' | 'usedBytes' | 'inodesUsed'> | undefined {
  if (usage === undefined) return undefined;
  const { timeMs, usedBytes, inodesUsed } = usage;
  return {
    time: timeMs,
    ...(usedBytes !== undefined && { usedBytes }),
    ...(inodesUsed !== undefined && { inodesUsed }),
  };
}
