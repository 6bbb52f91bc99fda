import type { PodWorkerState } from './pod-worker-state.ts';

/*
 * What others ask of a pod's state. For a pod that is not known (`undefined`) the answer depends on whether the workers know of all pods that there
 * should be (see PodWorkers.podsSynced): before that, nothing is known of it; from then on, it is gone.
 */

/** Whether the pod is to stop or has stopped. */
export function isTerminationRequested(state: PodWorkerState | undefined): boolean {
  return state !== undefined && state.kind !== 'waiting' && state.kind !== 'syncing';
}

/** Whether the pod is known, and none of its containers runs or ever will: it no longer counts where resources are added up. */
export function isKnownTerminated(state: PodWorkerState | undefined): boolean {
  return state?.kind === 'terminated' || state?.kind === 'finished';
}

/** Whether a container of the pod may be running. */
export function couldHaveRunningContainers(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? !podsSynced : !isKnownTerminated(state);
}

/** Whether the pod's containers are being stopped or have stopped, so that nothing need be prepared for them any more. */
export function shouldContainersBeTerminating(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? podsSynced : isTerminationRequested(state);
}

/** Whether the pod's sandboxes may go, and the volumes that its containers used. */
export function shouldRuntimeBeRemoved(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return !couldHaveRunningContainers(state, podsSynced);
}

/** Whether the pod's dead containers and logs are to go: it is deleted and stopped, or it was evicted. */
export function shouldContentBeRemoved(state: PodWorkerState | undefined, podsSynced = false): boolean {
  if (state === undefined) return podsSynced;
  if (state.kind === 'waiting' || state.kind === 'syncing') return false;
  return state.evicted || (state.deleted && state.kind !== 'terminating');
}

/** Whether nothing of the pod should be left on the node: not in the runtime, no volume, no cgroup. */
export function shouldBeFinished(state: PodWorkerState | undefined, podsSynced = false): boolean {
  return state === undefined ? podsSynced : state.kind === 'finished';
}
