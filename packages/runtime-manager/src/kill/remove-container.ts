import { isNotFound } from '@rxlet/cri-api';
import { inSpan } from '@rxlet/agent-api/journal';
import type { PodIdentity } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { containerLogPath, legacyLogLinkName, podLogDirectory } from '../files/pod-paths.ts';
import { runPostStopSteps } from '../sync/container-steps.ts';
import { confirmOutcome } from '../sync/unknown-outcome.ts';
import { confirmContainerRemoved } from './confirm-stopped.ts';

/** Container instance to remove. */
export interface RemovableContainer {
  readonly id: string;
  readonly name: string;
  readonly restartCount: number;
}

/** Ports of {@link removeContainer}. */
export type RemoveContainerPorts = Pick<Context, 'runtime' | 'containerSteps' | 'logger'>;

/** Ports of {@link removeContainerWithLogs}. */
export type RemoveWithLogsPorts = RemoveContainerPorts &
  Pick<Context, 'files' | 'settings' | 'containerLogsDirectory' | 'journal'>;

/** Removes a container from the runtime, which kills it if it is running. A container that no longer exists is not an error. */
export async function removeContainer(
  ports: RemoveContainerPorts,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { runtime } = ports;
  await runPostStopSteps(ports, containerId);
  try {
    await confirmOutcome<unknown>(
      () => runtime.removeContainer({ containerId }, { signal }),
      () => confirmContainerRemoved(runtime, containerId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Removes a container and its logs. The logs are removed first, because their names are derived from the container. */
export async function removeContainerWithLogs(
  ports: RemoveWithLogsPorts,
  pod: PodIdentity,
  container: RemovableContainer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const span = { kind: 'container.remove', container: container.name } as const;
  await inSpan(
    ports.journal,
    pod,
    span,
    async () => {
      await removeContainerLogs(ports, pod, container);
      await removeContainer(ports, container.id, signal);
    },
    signal,
  );
}

/** Removes the log of an instance, its rotated copies, and the link to it. */
async function removeContainerLogs(
  { files, settings, containerLogsDirectory }: Pick<Context, 'files' | 'settings' | 'containerLogsDirectory'>,
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
