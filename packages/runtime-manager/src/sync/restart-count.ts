import { newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { NodeFiles } from '@rxlet/node-files';

/**
 * Returns the number of earlier instances of a container. If the runtime has none, it is derived from the names of log files, so that a new instance never
 * writes to the log of an earlier one.
 */
export async function nextRestartCount(
  files: NodeFiles,
  status: RuntimePodStatus,
  containerName: string,
  logDirectory: string,
): Promise<number> {
  const newest = newestContainerStatus(status, containerName);
  if (newest !== undefined) return newest.restartCount + 1;
  const names = await files.list(logDirectory).catch(() => []);
  return restartCountFromLogs(names);
}

/** Returns the highest number of the log files `<number>.log` and their rotated copies plus one; 0 without log files. */
export function restartCountFromLogs(names: readonly string[]): number {
  const counts = names.map((name) => Number(/^(\d+)\.log(\..*)?$/.exec(name)?.[1] ?? -1));
  return Math.max(-1, ...counts) + 1;
}
