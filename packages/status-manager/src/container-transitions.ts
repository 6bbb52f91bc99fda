import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { allContainersCouldRestart, containerShouldRestart, isSidecar } from '@rxlet/pod-model';

/**
 * What is wrong with going from one status of a pod to the next, or undefined: a container that ended for good must not come back to life. Such a
 * status was made from stale knowledge of the runtime, and whoever watches the pod has already drawn conclusions from the end.
 */
export function illegalTransition(pod: Pod, previous: PodStatus, next: PodStatus): string | undefined {
  if (pod.spec?.restartPolicy === 'Always' || allContainersCouldRestart(pod)) return undefined;
  const revived =
    revivedContainer(pod, 'regular', previous.containerStatuses, next.containerStatuses) ??
    revivedContainer(pod, 'init', previous.initContainerStatuses, next.initContainerStatuses);
  return revived === undefined ? undefined : `container ${revived} has terminated for good and cannot leave that state`;
}

function revivedContainer(
  pod: Pod,
  kind: 'init' | 'regular',
  previous: readonly ContainerStatus[] | undefined,
  next: readonly ContainerStatus[] | undefined,
): string | undefined {
  const nextByName = new Map(next?.map((status) => [status.name, status]));
  return previous?.find(({ name, state }) => {
    const nextStatus = nextByName.get(name);
    if (state?.terminated === undefined || nextStatus === undefined) return false;
    return nextStatus.state?.terminated === undefined && !mayRunAgain(pod, kind, name, state.terminated.exitCode);
  })?.name;
}

function mayRunAgain(pod: Pod, kind: 'init' | 'regular', name: string, exitCode: number): boolean {
  if (exitCode !== 0 && pod.spec?.restartPolicy === 'OnFailure') return true;
  const containers = kind === 'init' ? pod.spec?.initContainers : pod.spec?.containers;
  const container = containers?.find((candidate) => candidate.name === name);
  if (container === undefined) return false;
  return (kind === 'init' && isSidecar(container)) || containerShouldRestart(container, pod, exitCode);
}
