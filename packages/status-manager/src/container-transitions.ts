import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { allContainersCouldRestart, containerShouldRestart, podContainers } from '@rxlet/pod-model';

/**
 * What is wrong with going from one status of a pod to the next, or undefined: a container that ended for good must not come back to life. Such a
 * status was made from stale knowledge of the runtime, and whoever watches the pod has already drawn conclusions from the end.
 */
export function illegalTransition(pod: Pod, previous: PodStatus, next: PodStatus): string | undefined {
  if (pod.spec?.restartPolicy === 'Always' || allContainersCouldRestart(pod)) return undefined;
  const nextByName = new Map(statusesOf(next).map((status) => [status.name, status]));
  const revived = statusesOf(previous).find(({ name, state }) => {
    const nextStatus = nextByName.get(name);
    if (state?.terminated === undefined || nextStatus === undefined) return false;
    return nextStatus.state?.terminated === undefined && !mayRunAgain(pod, name, state.terminated.exitCode);
  });
  return revived && `container ${revived.name} has terminated for good and cannot leave that state`;
}

/** Of regular and init containers; nobody waits for the end of ephemeral ones. */
function statusesOf({ containerStatuses, initContainerStatuses }: PodStatus): readonly ContainerStatus[] {
  return [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])];
}

function mayRunAgain(pod: Pod, name: string, exitCode: number): boolean {
  // The pod's policy counts even where the container has one of its own.
  if (exitCode !== 0 && pod.spec?.restartPolicy === 'OnFailure') return true;
  const found = podContainers(pod, ['init', 'regular']).find(({ container }) => container.name === name);
  return found !== undefined && containerShouldRestart(found.container, pod, exitCode);
}
