import { create } from '@bufbuild/protobuf';
import { ContainerEventResponseSchema, ContainerEventType } from '@rxlet/cri-api';
import type { RuntimeState } from './runtime-state.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Tells the subscribers of GetContainerEvents that something happened to a container of `sandbox`, or to the sandbox itself, whose id stands for a
 * container's then, as in containerd. The event carries the pod as it is now; after the sandbox was deleted, as it was last.
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
