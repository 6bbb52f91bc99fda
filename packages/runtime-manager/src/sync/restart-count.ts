import { newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model';
import type { FileSystem } from '../files/file-system.ts';

/**
 * How many instances of a container there have been. The runtime forgets instances, so when it knows none the names of the log files tell, and a new
 * instance never writes into the log of an earlier one.
 */
export async function nextRestartCount(
  files: FileSystem,
  status: RuntimePodStatus,
  containerName: string,
  logDirectory: string,
): Promise<number> {
  const newest = newestContainerStatus(status, containerName);
  if (newest !== undefined) return newest.restartCount + 1;
  const names = await files.list(logDirectory).catch(() => []);
  return restartCountFromLogs(names);
}

/** One more than the highest number among the log files `<number>.log` and their rotated copies; 0 without any. */
export function restartCountFromLogs(names: readonly string[]): number {
  const counts = names.map((name) => Number(/^(\d+)\.log(\..*)?$/.exec(name)?.[1] ?? -1));
  return Math.max(-1, ...counts) + 1;
}
