import type { ContainerStateTerminated } from '@rxlet/kube-api';

/** How a container is said to have ended when nobody saw it. */
export type UnseenEnd = Required<Pick<ContainerStateTerminated, 'reason' | 'message' | 'exitCode'>>;

/** Exit code reported for a container whose real one nobody saw: that of SIGKILL. */
const EXIT_CODE = 137;

/** It must not count as a success. */
function unlocated(message: string): UnseenEnd {
  return { reason: 'ContainerStatusUnknown', message, exitCode: EXIT_CODE };
}

/** The runtime lost a container that was running. */
export const lostWhenDeleted: UnseenEnd = unlocated(
  'The container could not be located when the pod was deleted.  The container used to be Running',
);

/** The pod ended, and nothing is known of how this container did. */
export const lostWhenTerminated: UnseenEnd = unlocated(
  'The container could not be located when the pod was terminated',
);

/** Reason of a container that was removed only to be made anew with all others (KEP-5532). */
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

/** A container removed because all are restarted. */
export const removedForRestart: UnseenEnd = {
  reason: RESTARTING_ALL_CONTAINERS,
  message: 'The container is removed because RestartAllContainers in place',
  exitCode: EXIT_CODE,
};
