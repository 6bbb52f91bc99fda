import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase, parseContainerId, podContainers } from '@rxlet/pod-model';
import { allContainersCouldRestart, containerShouldRestart } from '@rxlet/pod-model/restart';
import type { RuntimePod } from '@rxlet/pod-model/runtime';

/**
 * Reports whether a stored status belongs to an earlier incarnation of a pod. A static pod keeps its UID while its manifest is unchanged, so another agent, such as a
 * kubelet, may have terminated it and run it again. Pure.
 */
export function isFromEarlierIncarnation(pod: Pod, stored: PodStatus, running: RuntimePod): boolean {
  const statuses = [...(stored.containerStatuses ?? []), ...(stored.initContainerStatuses ?? [])];
  return hasRevivedContainer(pod, stored, statuses, running) || startedBeforeFirstSandbox(statuses, running);
}

/** Reports whether a container that had terminated for the last time has a newer instance. */
function hasRevivedContainer(
  pod: Pod,
  { phase }: PodStatus,
  statuses: readonly ContainerStatus[],
  running: RuntimePod,
): boolean {
  if (!isTerminalPhase(phase) && allContainersCouldRestart(pod)) return false;
  return podContainers(pod, ['init', 'regular']).some(({ container }) => {
    const status = statuses.find(({ name }) => name === container.name);
    const terminated = status?.state?.terminated;
    if (terminated === undefined || containerShouldRestart(container, pod, terminated.exitCode)) return false;
    const newest = running.containers.find(({ name }) => name === container.name);
    return newest !== undefined && newest.id.id !== parseContainerId(status?.containerID ?? '').id;
  });
}

/** Reports whether a container was started before the first sandbox of the current incarnation. */
function startedBeforeFirstSandbox(statuses: readonly ContainerStatus[], { sandboxes }: RuntimePod): boolean {
  const first = sandboxes.find(({ attempt }) => attempt === 0);
  if (first === undefined) return false;
  // Times in a status have whole seconds.
  const createdSeconds = first.createdAtNanos / 1_000_000_000n;
  return statuses
    .flatMap(({ state, lastState }) => [state, lastState])
    .map((state) => Date.parse((state?.running ?? state?.terminated)?.startedAt ?? ''))
    .some((startedMs) => Number.isFinite(startedMs) && BigInt(Math.floor(startedMs / 1000)) < createdSeconds);
}
