import { isNotFound } from '@rxlet/cri-api';
import type { Context } from '../context.ts';
import { containerLogPath, legacyLogLinkName, podLogDirectory } from '../files/pod-paths.ts';
import type { PodIdentity } from './restore-pod.ts';

/** A container instance that is not needed any more. */
export interface RemovableContainer {
  readonly id: string;
  readonly name: string;
  readonly restartCount: number;
}

/** Removes a container from the runtime, which kills it if it still runs; one that is gone is no error. */
export async function removeContainer(
  { runtime }: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await runtime.removeContainer({ containerId }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Removes a container together with its logs. The logs go first, as afterwards nobody would know of them. */
export async function removeContainerWithLogs(
  context: Context,
  pod: PodIdentity,
  container: RemovableContainer,
  signal: AbortSignal | undefined,
): Promise<void> {
  await removeContainerLogs(context, pod, container);
  await removeContainer(context, container.id, signal);
}

/** Removes the log of one instance with its rotated copies, and the link to it. */
async function removeContainerLogs(
  { files, settings, containerLogsDirectory }: Context,
  pod: PodIdentity,
  { id, name, restartCount }: RemovableContainer,
): Promise<void> {
  const log = `${podLogDirectory(settings, pod)}/${containerLogPath(name, restartCount)}`;
  const directory = log.slice(0, log.lastIndexOf('/'));
  const base = log.slice(directory.length + 1);
  for (const file of await files.list(directory)) {
    if (file.startsWith(base)) await files.removeFile(`${directory}/${file}`);
  }
  if (containerLogsDirectory !== undefined) {
    await files.removeFile(`${containerLogsDirectory}/${legacyLogLinkName(pod, name, id)}`);
  }
}
