import type { ContainerStateTerminated } from '@rxlet/kube-api';

/** Terminated state of a container with an unknown end. */
export type UnseenEnd = Required<Pick<ContainerStateTerminated, 'reason' | 'message' | 'exitCode'>>;

/** Exit code of a container whose real one is unknown: that of SIGKILL. */
const EXIT_CODE = 137;

/** Returns an unknown end, which must not count as a success. */
function unlocated(message: string): UnseenEnd {
  return { reason: 'ContainerStatusUnknown', message, exitCode: EXIT_CODE };
}

/** End of a running container that the runtime lost. */
export const lostWhenDeleted: UnseenEnd = unlocated(
  'The container could not be located when the pod was deleted.  The container used to be Running',
);

/** End of a container that is unknown when its pod terminates. */
export const lostWhenTerminated: UnseenEnd = unlocated(
  'The container could not be located when the pod was terminated',
);

/** Reason of a container that was removed for a restart of all containers (KEP-5532). */
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

/** End of a container that was removed for a restart of all containers. */
export const removedForRestart: UnseenEnd = {
  reason: RESTARTING_ALL_CONTAINERS,
  message: 'The container is removed because RestartAllContainers in place',
  exitCode: EXIT_CODE,
};
