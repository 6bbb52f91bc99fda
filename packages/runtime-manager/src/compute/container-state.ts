import type { Container, Pod } from '@rxlet/kube-api';
import {
  containerHash,
  newestContainerStatus,
  type RuntimeContainerStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';

/** Whether a container was made from another definition. Of the definition only name and image count: everything else needs a new pod. */
export function definitionChanged(
  container: Pick<Container, 'name' | 'image'>,
  status: RuntimeContainerStatus,
): boolean {
  return status.hash !== containerHash(container);
}

/**
 * Whether any regular container of the pod is there, which it can be only after initialisation. Exited ones prove nothing on their own: after a
 * reboot of the node all containers have exited and initialisation starts over. The caller says whether they count.
 */
export function anyRegularContainerCreated(pod: Pod, status: RuntimePodStatus, exitedCounts: boolean): boolean {
  return pod.spec!.containers.some(({ name }) => {
    const state = newestContainerStatus(status, name)?.state;
    return state === 'created' || state === 'running' || (exitedCounts && state === 'exited');
  });
}

/** The message of the kill that precedes the replacement of a container in unknown state. */
export function unknownStateMessage(subject: 'Container' | 'Init container'): string {
  return `${subject} is in "unknown" state, try killing it before restart`;
}
