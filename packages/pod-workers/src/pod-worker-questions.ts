import type { PodWorkerState } from './pod-worker-state.ts';

/*
 * Questions about a pod's state. For an unknown pod (`undefined`) the answer depends on whether the workers have received all desired pods (see
 * PodStates.podsSynced): until then the pod may run, from then on it is gone.
 */

/** Reports whether the pod must stop or has stopped. */
export function isTerminationRequested(state: PodWorkerState | undefined): boolean {
  return state !== undefined && state.kind !== 'waiting' && state.kind !== 'syncing';
}

/** Reports whether the pod is known and none of its containers runs or ever will, so that it no longer counts in sums of resources. */
export function isKnownTerminated(state: PodWorkerState | undefined): boolean {
  return state?.kind === 'terminated' || state?.kind === 'finished';
}

/** Reports whether a container of the pod may run. */
export function couldHaveRunningContainers(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? !podsSynced : !isKnownTerminated(state);
}

/** Reports whether the pod's containers are being stopped or have stopped, so that they need no preparation. */
export function shouldContainersBeTerminating(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? podsSynced : isTerminationRequested(state);
}

/** Reports whether the pod's sandboxes and volumes may be removed. */
export function shouldRuntimeBeRemoved(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return !couldHaveRunningContainers(state, podsSynced);
}

/** Reports whether the pod's dead containers and logs must be removed: it is deleted and stopped, or it was evicted. */
export function shouldContentBeRemoved(state: PodWorkerState | undefined, podsSynced = false): boolean {
  if (state === undefined) return podsSynced;
  if (state.kind === 'waiting' || state.kind === 'syncing') return false;
  return state.evicted || (state.deleted && state.kind !== 'terminating');
}

/** Reports whether the pod must have left the node: no container, no volume, no cgroup. */
export function shouldBeFinished(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? podsSynced : state.kind === 'finished';
}
