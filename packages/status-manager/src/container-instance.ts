import { toRfc3339 } from '@rxlet/component-base';
import type { ContainerState, ContainerStatus, ContainerUser } from '@rxlet/kube-api';
import type { RuntimeContainerStatus, RuntimeContainerUser } from '@rxlet/pod-model/runtime';
import { formatContainerId } from '@rxlet/pod-model';
import { lostWhenTerminated, RESTARTING_ALL_CONTAINERS } from './unlocated-container.ts';

const NANOS_PER_MILLI = 1_000_000n;

function rfc3339(nanos: bigint): string {
  return toRfc3339(Number(nanos / NANOS_PER_MILLI));
}

/** Reports whether the runtime lost track of a container that was last reported running. */
export function isLost(instance: RuntimeContainerStatus, previous: ContainerStatus | undefined): boolean {
  return instance.state === 'unknown' && previous?.state?.running !== undefined;
}

/**
 * Returns the state of an instance of a container in the API. A created instance is waiting without a reason. An instance in an unknown state is waiting too, unless
 * it was running before: then it is reported as failed.
 */
export function instanceState(
  instance: RuntimeContainerStatus,
  previous: ContainerStatus | undefined,
  restartingAll: boolean,
): ContainerState {
  switch (instance.state) {
    case 'running':
      return { running: { startedAt: rfc3339(instance.startedAtNanos) } };
    case 'exited':
      return {
        terminated: {
          exitCode: instance.exitCode,
          ...(instance.reason !== '' && { reason: instance.reason }),
          ...(instance.message !== '' && { message: instance.message }),
          startedAt: rfc3339(instance.startedAtNanos),
          finishedAt: rfc3339(instance.finishedAtNanos),
          containerID: formatContainerId(instance.id),
        },
      };
    case 'created':
    case 'unknown':
      if (!isLost(instance, previous)) return { waiting: {} };
      return {
        terminated: { ...lostWhenTerminated, ...(restartingAll && { reason: RESTARTING_ALL_CONTAINERS }) },
      };
  }
}

/** Returns the identity of a container's first process in the form of the API (KEP-3619). */
export function containerUser(user: RuntimeContainerUser): ContainerUser {
  return { linux: { uid: user.uid, gid: user.gid, supplementalGroups: user.supplementalGroups } };
}
