import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { podLogDirectoryName } from '@rxlet/pod-model';
import type { DiskUsage } from '../summary/fs-stats.ts';
import type { PodFiles } from '../summary/pod-statistics.ts';

/** Directories of {@link createPodFiles}. */
export interface PodFilesDirectories {
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
}

/** Ports of {@link createPodFiles}. */
export interface PodFilesPorts {
  readonly files: Pick<NodeFiles, 'list' | 'stat'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Creates {@link PodFiles}: what `du` reports of the files, directories left out. Files that cannot be measured are left out too, with a warning. */
export function createPodFiles(
  { files, clock, logger }: PodFilesPorts,
  { rootDirectory, podLogsDirectory }: PodFilesDirectories,
): PodFiles {
  const filesIn = async (directory: string): Promise<DiskUsage | undefined> => {
    if ((await files.stat(directory)) === undefined) return undefined;
    const names = await files.list(directory);
    const infos = await Promise.all(names.map((name) => files.stat(`${directory}/${name}`)));
    const found = infos.filter((info) => info !== undefined && info.kind !== 'directory');
    const timeMs = clock.now();
    if (found.length === 0) return { timeMs };
    const usedBytes = found.reduce((sum, info) => sum + (info?.allocatedBytes ?? 0), 0);
    return { timeMs, usedBytes, inodesUsed: found.length };
  };
  const file = async (path: string): Promise<DiskUsage | undefined> => {
    const info = await files.stat(path);
    return info && { timeMs: clock.now(), usedBytes: info.allocatedBytes, inodesUsed: 1 };
  };
  /** Files of one pod must not keep the node and all other pods from being measured. */
  const unlessUnreadable = (
    path: string,
    measure: (path: string) => Promise<DiskUsage | undefined>,
  ): Promise<DiskUsage | undefined> =>
    measure(path).catch((error: unknown) => {
      logger.warn('cannot measure files of a pod', { path, error: errorMessage(error) });
      return undefined;
    });
  return {
    podLogs: (pod) => unlessUnreadable(`${podLogsDirectory}/${podLogDirectoryName(pod)}`, filesIn),
    containerLogs: (pod, container) =>
      unlessUnreadable(`${podLogsDirectory}/${podLogDirectoryName(pod)}/${container}`, filesIn),
    etcHosts: (uid) => unlessUnreadable(`${rootDirectory}/pods/${uid}/etc-hosts`, file),
  };
}
