import { type ContainerConfig, ContainerState } from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { removeNeverStarted } from './never-started.ts';
import type { StartContainerRequest } from './start-container.ts';
import { callOrLook } from './unknown-outcome.ts';

/** Has the runtime make a container. @returns its id. */
export async function createContainer(
  context: Context,
  request: StartContainerRequest,
  config: ContainerConfig,
): Promise<string> {
  const { sandbox, signal } = request;
  await removeNeverStarted(context, request);
  const create = async (): Promise<string> => {
    const { containerId } = await context.runtime.createContainer(
      { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config },
      { signal },
    );
    if (containerId === '') throw new Error(`the runtime gave container ${request.container.name} no id`);
    return containerId;
  };
  return callOrLook(create, () => findCreated(context, request, config));
}

/** Has the runtime start a container. When it did not answer, what has become of the container meanwhile decides. */
export async function startCreated(
  { runtime }: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await callOrLook<unknown>(
    () => runtime.startContainer({ containerId }, { signal }),
    async () => {
      const { status } = await runtime.containerStatus({ containerId }, { signal });
      const { CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;
      return status?.state === CONTAINER_RUNNING || status?.state === CONTAINER_EXITED ? true : undefined;
    },
  );
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
