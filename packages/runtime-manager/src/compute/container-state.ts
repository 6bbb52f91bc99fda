import type { Container, Pod } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import { newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';

/** Reports whether a container was created from another definition. Only name and image are compared: other fields cannot change in a pod. */
export function definitionChanged(
  container: Pick<Container, 'name' | 'image'>,
  status: RuntimeContainerStatus,
): boolean {
  return status.hash !== containerHash(container);
}

/**
 * Reports whether the pod has any regular container, which exists only after initialization. An exited one does not count: after a reboot of the node all
 * containers have exited, and initialization starts over.
 */
export function anyRegularContainerCreated(pod: Pod, status: RuntimePodStatus): boolean {
  return pod.spec!.containers.some(({ name }) => {
    const newest = newestContainerStatus(status, name);
    // One that could not be started before the machine rebooted says nothing about the new sandbox.
    return newest?.state === 'running' || (newest?.state === 'created' && !isOfEarlierSandbox(newest, status));
  });
}

/** Reports whether a container belongs to a sandbox that a newer one has replaced. */
export function isOfEarlierSandbox({ sandboxId }: RuntimeContainerStatus, { sandboxes }: RuntimePodStatus): boolean {
  return sandboxes.some(({ id }, index) => index > 0 && id === sandboxId);
}

/** Returns the message for killing a container of unknown state before it is replaced. */
export function unknownStateMessage(subject: 'Container' | 'Init container'): string {
  return `${subject} is in "unknown" state, try killing it before restart`;
}
