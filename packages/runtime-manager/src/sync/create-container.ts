import { type ContainerConfig, ContainerState } from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel, podUid } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { finishSentCall } from './finish-sent-call.ts';
import type { StartContainerRequest } from './start-container-request.ts';
import { confirmOutcome, mayHaveTakenEffect } from './unknown-outcome.ts';

/** Creates a container in the runtime, or adopts the one that an earlier call created. @returns its id */
export async function createContainer(
  ports: Pick<Context, 'runtime' | 'clock' | 'stopping'>,
  request: StartContainerRequest,
  config: ContainerConfig,
): Promise<string> {
  const { container, sandbox, signal } = request;
  const create = async (): Promise<string> => {
    const createRequest = { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config };
    const { containerId } = await finishSentCall(ports, signal, (callSignal) =>
      ports.runtime.createContainer(createRequest, { signal: callSignal }),
    );
    if (containerId === '') throw new Error(`the runtime returned no id for container ${container.name}`);
    return containerId;
  };
  return confirmOutcome(create, () => findCreated(ports, request, config));
}

/**
 * Starts a created container. If the call fails, the container's state decides, because an earlier call may have started the container, perhaps one of a killed
 * agent.
 */
export async function startCreated(
  ports: Pick<Context, 'runtime' | 'clock' | 'stopping'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { runtime } = ports;
  signal?.throwIfAborted();
  try {
    await finishSentCall(ports, signal, (callSignal) =>
      runtime.startContainer({ containerId }, { signal: callSignal }),
    );
  } catch (error) {
    const response = await runtime.containerStatus({ containerId }, { signal }).catch(() => undefined);
    const state = response?.status?.state;
    const { CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;
    // A container whose start failed has exited too, so an exit counts only if the outcome of the call is unknown.
    const started = state === CONTAINER_RUNNING || (state === CONTAINER_EXITED && mayHaveTakenEffect(error));
    if (!started) throw error;
  }
}

/** Returns the id of the container that an earlier call with the same configuration created. */
async function findCreated(
  { runtime }: Pick<Context, 'runtime'>,
  { pod, container, sandbox, signal }: StartContainerRequest,
  config: ContainerConfig,
): Promise<string | undefined> {
  const labelSelector = { [PodLabel.podUid]: podUid(pod), [PodLabel.containerName]: container.name };
  const filter = { podSandboxId: sandbox.id, labelSelector };
  const { containers } = await runtime.listContainers({ filter }, { signal });
  return containers.find(
    ({ metadata, state, annotations }) =>
      metadata?.attempt === config.metadata?.attempt &&
      state === ContainerState.CONTAINER_CREATED &&
      annotations[ContainerAnnotation.hash] === config.annotations[ContainerAnnotation.hash],
  )?.id;
}
