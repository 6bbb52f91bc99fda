import type { Clock } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { podLogDirectoryName } from '@rxlet/pod-model';
import type { DiskUsage } from '../summary/fs-stats.ts';
import type { PodFiles } from '../summary/pod-statistics.ts';

/** Directories of {@link createPodFiles}. */
export interface PodFilesDirectories {
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
}

/** Creates {@link PodFiles}: what `du` reports of the files, directories left out. */
export function createPodFiles(
  { files, clock }: { readonly files: Pick<NodeFiles, 'list' | 'stat'>; readonly clock: Pick<Clock, 'now'> },
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
  return {
    podLogs: (pod) => filesIn(`${podLogsDirectory}/${podLogDirectoryName(pod)}`),
    containerLogs: (pod, container) => filesIn(`${podLogsDirectory}/${podLogDirectoryName(pod)}/${container}`),
    async etcHosts(uid) {
      const info = await files.stat(`${rootDirectory}/pods/${uid}/etc-hosts`);
      return info && { timeMs: clock.now(), usedBytes: info.allocatedBytes, inodesUsed: 1 };
    },
  };
}
