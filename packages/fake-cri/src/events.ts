import { create } from '@bufbuild/protobuf';
import { ContainerEventResponseSchema, ContainerEventType } from '@rxlet/cri-api';
import type { RuntimeState } from './runtime-state.ts';
import type { Sandbox } from './runtime-objects.ts';

/**
 * Publishes an event of GetContainerEvents about a container of `sandbox`, or to the sandbox itself, whose id stands for a
 * container's then, as in containerd. The event has the current state of the pod; after the sandbox was deleted, the last one.
 */
export function publishEvent(
  state: RuntimeState,
  type: 'CREATED' | 'STARTED' | 'STOPPED' | 'DELETED',
  sandbox: Sandbox,
  containerId: string,
): void {
  state.onChange();
  if (!state.events.active) return;
  state.events.publish(
    create(ContainerEventResponseSchema, {
      containerId,
      containerEventType: ContainerEventType[`CONTAINER_${type}_EVENT`],
      createdAt: state.timestamps(),
      podSandboxStatus: sandbox.status,
      containersStatuses: Array.from(sandbox.containers.values(), (container) => container.status),
    }),
  );
}
