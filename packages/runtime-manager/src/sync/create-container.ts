import { type ContainerConfig, ContainerState } from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { finishSentCall } from './finish-sent-call.ts';
import type { StartContainerRequest } from './start-container.ts';
import { callOrLook, mayHaveHappened } from './unknown-outcome.ts';

/** Has the runtime make a container. @returns its id. */
export async function createContainer(
  context: Context,
  request: StartContainerRequest,
  config: ContainerConfig,
): Promise<string> {
  const { container, sandbox, signal } = request;
  const create = async (): Promise<string> => {
    const wanted = { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config };
    const { containerId } = await finishSentCall(context.clock, signal, (callSignal) =>
      context.runtime.createContainer(wanted, { signal: callSignal }),
    );
    if (containerId === '') throw new Error(`the runtime gave container ${container.name} no id`);
    return containerId;
  };
  return callOrLook(create, () => findCreated(context, request, config));
}

/**
 * Has the runtime start a container. When it did not answer, or refused, what has become of the container meanwhile decides: an earlier call may have started it
 * after all, maybe one of an agent that was killed.
 */
export async function startCreated(
  { runtime, clock }: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  try {
    await finishSentCall(clock, signal, (callSignal) =>
      runtime.startContainer({ containerId }, { signal: callSignal }),
    );
  } catch (error) {
    const look = await runtime.containerStatus({ containerId }, { signal }).catch(() => undefined);
    const state = look?.status?.state;
    const { CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;
    // One that could not be started has exited, too.
    const started = state === CONTAINER_RUNNING || (state === CONTAINER_EXITED && mayHaveHappened(error));
    if (!started) throw error;
  }
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
