import type { TerminationMessages } from '@rxlet/agent-api/containers';
import type { Pod } from '@rxlet/kube-api';
import { findPodContainer } from '@rxlet/pod-model';
import type { RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import { readTerminationMessage, type TerminationMessagePorts } from './termination-message.ts';

/**
 * Creates {@link TerminationMessages}. The message of an exited instance does not change, so each is read once per status that was read from the runtime.
 */
export function createTerminationMessages(ports: TerminationMessagePorts): TerminationMessages {
  const known = new WeakMap<RuntimeContainerStatus, Promise<RuntimeContainerStatus>>();
  const read = async (pod: Pod, status: RuntimeContainerStatus): Promise<RuntimeContainerStatus> => {
    const spec = findPodContainer(pod, status.name)?.container;
    if (spec === undefined) return status;
    const message = await readTerminationMessage(ports, spec, status);
    return message === status.message ? status : { ...status, message };
  };
  return {
    async complete(pod, status) {
      if (status.containers.every(({ state }) => state !== 'exited')) return status;
      const containers = status.containers.map((container) => {
        if (container.state !== 'exited') return Promise.resolve(container);
        const reading = known.get(container) ?? read(pod, container);
        known.set(container, reading);
        return reading;
      });
      return { ...status, containers: await Promise.all(containers) };
    },
  };
}
