import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar, isStaticPod, isTerminalPhase } from '@rxlet/pod-model';
import { lostWhenTerminated } from './unlocated-container.ts';

/**
 * Returns the last status of a pod without running containers. Containers with an unknown end count as failed, and the phase becomes terminal. Containers that were never
 * attempted stay as they are. A static pod keeps its phase, because it may start again under the same UID.
 */
export function terminatedPodStatus(pod: Pod, status: PodStatus): PodStatus {
  const { containerStatuses, initContainerStatuses } = status;
  const attempted = attemptedInitContainers(initContainerStatuses ?? []);
  const endPhase = !isStaticPod(pod) && !isTerminalPhase(status.phase);
  return {
    ...status,
    ...(endPhase && { phase: 'Failed' }),
    ...(containerStatuses !== undefined &&
      wasInitialized(pod, status) && { containerStatuses: containerStatuses.map(ended) }),
    ...(initContainerStatuses !== undefined && {
      initContainerStatuses: initContainerStatuses.map((container, index) =>
        index < attempted ? ended(container) : container,
      ),
    }),
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
function wasInitialized(pod: Pod, { containerStatuses, initContainerStatuses }: PodStatus): boolean {
  if ((pod.spec?.initContainers ?? []).length === 0) return true;
  if (containerStatuses?.some(wasStarted) === true) return true;
  const last = initContainerStatuses?.at(-1);
  const container = pod.spec?.initContainers?.find(({ name }) => name === last?.name);
  if (last === undefined || container === undefined) return false;
  if (isSidecar(container)) return last.state?.running !== undefined && last.started === true;
  return last.state?.terminated?.exitCode === 0 || last.lastState?.terminated?.exitCode === 0;
}

/** Returns the number of attempted init containers, at least one of those that exist. */
function attemptedInitContainers(statuses: readonly ContainerStatus[]): number {
  return Math.max(statuses.findLastIndex(wasStarted) + 1, Math.min(1, statuses.length));
}
