import { type ContainerConfig, ContainerState } from '@rxlet/cri-api';
import { ContainerAnnotation, newestContainerStatus, PodLabel } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { removeContainer } from '../kill/remove-container.ts';
import type { StartContainerRequest } from './start-container.ts';
import { mayHaveHappened } from './unknown-outcome.ts';

/** Has the runtime make a container. @returns its id. */
export async function createContainer(
  context: Context,
  request: StartContainerRequest,
  config: ContainerConfig,
): Promise<string> {
  const { sandbox, signal } = request;
  await removeNeverStarted(context, request);
  try {
    const { containerId } = await context.runtime.createContainer(
      { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config },
      { signal },
    );
    if (containerId === '') throw new Error(`the runtime gave container ${request.container.name} no id`);
    return containerId;
  } catch (error) {
    const found = mayHaveHappened(error) ? await findCreated(context, request, config) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** Has the runtime start a container. When it did not answer in time, what has become of the container meanwhile decides. */
export async function startCreated(
  { runtime }: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await runtime.startContainer({ containerId }, { signal });
  } catch (error) {
    if (!mayHaveHappened(error)) throw error;
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    const started =
      status?.state === ContainerState.CONTAINER_RUNNING || status?.state === ContainerState.CONTAINER_EXITED;
    if (!started) throw error;
  }
}

/**
 * A container that was created but not seen to start may still be about to: the runtime may not have answered in time. It goes before it is
 * replaced, so that there are never two.
 */
async function removeNeverStarted(
  context: Context,
  { container, status, signal }: StartContainerRequest,
): Promise<void> {
  const newest = newestContainerStatus(status, container.name);
  if (newest?.state === 'created') await removeContainer(context, newest.id.id, signal);
}

/** Looks for the container that an earlier call with the same configuration made. */
async function findCreated(
  { runtime }: Context,
  { pod, container, sandbox, signal }: StartContainerRequest,
  config: ContainerConfig,
): Promise<string | undefined> {
  const labelSelector = { [PodLabel.podUid]: pod.metadata?.uid ?? '', [PodLabel.containerName]: container.name };
  const filter = { podSandboxId: sandbox.id, labelSelector };
  const { containers } = await runtime.listContainers({ filter }, { signal });
  return containers.find(
    ({ metadata, state, annotations }) =>
      metadata?.attempt === config.metadata?.attempt &&
      state === ContainerState.CONTAINER_CREATED &&
      annotations[ContainerAnnotation.hash] === config.annotations[ContainerAnnotation.hash],
  )?.id;
}
