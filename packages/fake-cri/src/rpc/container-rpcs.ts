import { create, toJson } from '@bufbuild/protobuf';
import { sleep } from '@rxlet/component-base';
import {
  type Container as ContainerMessage,
  ContainerConfigSchema,
  type ContainerFilter,
  ContainerState,
  ContainerStatusResponseSchema,
  CreateContainerResponseSchema,
  ListContainersResponseSchema,
  RemoveContainerResponseSchema,
  StartContainerResponseSchema,
  StopContainerResponseSchema,
  StreamContainersResponseSchema,
} from '@rxlet/cri-api';
import type { Container } from '../runtime-objects.ts';
import { addContainer, removeContainer, startContainer, stopContainer } from '../container-lifecycle.ts';
import { filterContainers } from '../list-filter.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { inBatches } from './batches.ts';
import type { RuntimeHandlers } from './port.ts';

/** CreateContainer, StartContainer, StopContainer, RemoveContainer, ContainerStatus, ListContainers, StreamContainers. */
export function containerRpcs(state: RuntimeState): RuntimeHandlers {
  const list = (filter: ContainerFilter | undefined): ContainerMessage[] =>
    filterContainers(
      Array.from(state.containers.values(), (container) => container.listed),
      filter,
    );

  return {
    createContainer({ podSandboxId, config }) {
      const container = addContainer(state, state.sandboxes.get(podSandboxId), config);
      return create(CreateContainerResponseSchema, { containerId: container.id });
    },
    async startContainer({ containerId }, call) {
      const { plan, status } = state.containers.get(containerId);
      const delayMs = (plan?.startDelaySeconds ?? 0) * 1000;
      if (delayMs > 0 && status.state === ContainerState.CONTAINER_CREATED)
        await sleep(state.clock, delayMs, call.signal);
      startContainer(state, state.containers.get(containerId));
      return create(StartContainerResponseSchema);
    },
    async stopContainer({ containerId, timeout }, call) {
      const container = state.containers.find(containerId);
      if (container?.process !== undefined) await stopContainer(state, container, Number(timeout) * 1000, call.signal);
      return create(StopContainerResponseSchema);
    },
    removeContainer({ containerId }) {
      const container = state.containers.find(containerId);
      if (container !== undefined) removeContainer(state, container);
      return create(RemoveContainerResponseSchema);
    },
    containerStatus({ containerId, verbose }) {
      const container = state.containers.get(containerId);
      return create(ContainerStatusResponseSchema, {
        status: container.status,
        info: verbose ? { info: verboseInfo(container) } : {},
      });
    },
    listContainers({ filter }) {
      // Not passed to create, which checks each message.
      return { ...create(ListContainersResponseSchema), containers: list(filter) };
    },
    streamContainers({ filter }) {
      return inBatches(list(filter), (containers) => create(StreamContainersResponseSchema, { containers }));
    },
  };
}

/** The part of containerd's verbose information that has a meaning here, as JSON. */
function verboseInfo(container: Container): string {
  return JSON.stringify({
    sandboxID: container.sandbox.id,
    pid: container.process?.pid ?? 0,
    config: toJson(ContainerConfigSchema, create(ContainerConfigSchema, container.config), { useProtoFieldName: true }),
  });
}
