import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar, isStaticPod, isTerminalPhase, podContainers } from '@rxlet/pod-model';
import { lostWhenTerminated } from './unlocated-container.ts';

/**
 * Returns the last status of a pod without running containers. Containers with an unknown end count as failed, and the phase becomes terminal. Containers that were never
 * attempted stay as they are. A static pod keeps its phase, because it may start again under the same UID.
 */
export function terminatedPodStatus(pod: Pod, status: PodStatus): PodStatus {
  const { containerStatuses, initContainerStatuses } = status;
  const endPhase = !isStaticPod(pod) && !isTerminalPhase(status.phase);
  return {
    ...status,
    ...(endPhase && { phase: 'Failed' }),
    ...(containerStatuses !== undefined &&
      wasInitialized(pod, containerStatuses, initContainerStatuses) && {
        containerStatuses: containerStatuses.map(ended),
      }),
    ...(initContainerStatuses !== undefined && { initContainerStatuses: attemptedEnded(initContainerStatuses) }),
  };
}

function ended(container: ContainerStatus): ContainerStatus {
  return container.state?.terminated === undefined
    ? { ...container, state: { terminated: lostWhenTerminated }, ready: false, started: false }
    : container;
}

/** Reports whether the container was ever started. */
function wasStarted({ state, lastState }: ContainerStatus): boolean {
  return state?.waiting === undefined || lastState?.terminated !== undefined;
}

/** Reports whether the pod was initialized, so that regular containers could start. */
function wasInitialized(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  initStatuses: readonly ContainerStatus[] | undefined,
): boolean {
  const initContainers = podContainers(pod, ['init']);
  if (initContainers.length === 0) return true;
  if (statuses.some(wasStarted)) return true;
  const last = initStatuses?.at(-1);
  if (last === undefined) return false;
  const found = initContainers.find(({ container }) => container.name === last.name);
  if (found === undefined) return false;
  if (isSidecar(found.container)) return last.state?.running !== undefined && last.started === true;
  return last.state?.terminated?.exitCode === 0 || last.lastState?.terminated?.exitCode === 0;
}

/** Ends the attempted init containers, which are at least the first one. */
function attemptedEnded(statuses: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const lastAttempted = Math.max(0, statuses.findLastIndex(wasStarted));
  return statuses.map((container, index) => (index <= lastAttempted ? ended(container) : container));
}
