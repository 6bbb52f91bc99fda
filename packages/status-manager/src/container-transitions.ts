import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { findPodContainer } from '@rxlet/pod-model';
import { allContainersCouldRestart, containerShouldRestart } from '@rxlet/pod-model/restart';
import { RESTARTING_ALL_CONTAINERS } from './unlocated-container.ts';

/**
 * Returns why a status must not follow another one; `undefined` when it may. A container that has terminated without a restart must not run again: such a status
 * comes from a stale runtime status, and watchers of the pod have already acted on the termination. A newer instance that runs is no stale one: a new sandbox runs
 * such a container once more. Neither is a container that the agent has removed to restart it.
 */
export function illegalTransition(pod: Pod, previous: PodStatus, next: PodStatus): string | undefined {
  if (pod.spec?.restartPolicy === 'Always' || allContainersCouldRestart(pod)) return undefined;
  const nextByName = new Map(statusesOf(next).map((status) => [status.name, status]));
  const revived = statusesOf(previous).find((before) => {
    const { name, state } = before;
    const nextStatus = nextByName.get(name);
    if (state?.terminated === undefined || nextStatus === undefined) return false;
    if (isNewerInstance(nextStatus, before) || isRemovedForRestart(nextStatus)) return false;
    return nextStatus.state?.terminated === undefined && !mayRunAgain(pod, name, state.terminated.exitCode);
  });
  return revived && `container ${revived.name} has terminated for good and cannot leave that state`;
}

/** Returns the statuses of regular and init containers. The termination of ephemeral containers has no consequences. */
function statusesOf({ containerStatuses, initContainerStatuses }: PodStatus): readonly ContainerStatus[] {
  return [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])];
}

/** Reports whether a status is that of a running instance which followed the one of another status. */
function isNewerInstance(next: ContainerStatus, before: ContainerStatus): boolean {
  if (next.state?.running === undefined || !next.containerID || !before.containerID) return false;
  return next.containerID !== before.containerID && next.restartCount > before.restartCount;
}

function isRemovedForRestart({ state }: ContainerStatus): boolean {
  return state?.waiting?.reason === RESTARTING_ALL_CONTAINERS;
}

function mayRunAgain(pod: Pod, name: string, exitCode: number): boolean {
  // The restart policy of the pod applies even to a container with its own.
  if (exitCode !== 0 && pod.spec?.restartPolicy === 'OnFailure') return true;
  const found = findPodContainer(pod, name);
  return found !== undefined && containerShouldRestart(found.container, pod, exitCode);
}
