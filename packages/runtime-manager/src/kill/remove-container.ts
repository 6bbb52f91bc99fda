import { errorMessage } from '@rxlet/component-base';
import { isNotFound } from '@rxlet/cri-api';
import type { PodIdentity } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { containerLogPath, legacyLogLinkName, podLogDirectory } from '../files/pod-paths.ts';
import { callOrLook } from '../sync/unknown-outcome.ts';
import { isContainerGone } from './look-at-runtime.ts';

/** A container instance that is not needed any more. */
export interface RemovableContainer {
  readonly id: string;
  readonly name: string;
  readonly restartCount: number;
}

/** Removes a container from the runtime, which kills it if it still runs; one that is gone is no error. */
export async function removeContainer(
  context: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { runtime } = context;
  await releaseContainer(context, containerId);
  try {
    await callOrLook<unknown>(
      () => runtime.removeContainer({ containerId }, { signal }),
      () => isContainerGone(runtime, containerId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Lets those who manage the node's devices know that a container has ended. */
export async function releaseContainer({ internalHooks, logger }: Context, containerId: string): Promise<void> {
  try {
    await internalHooks?.postStop?.(containerId);
  } catch (error) {
    logger.error('internal PostStop hook failed', { containerId, error: errorMessage(error) });
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
