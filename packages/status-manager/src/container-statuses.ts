import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  Signal,
} from '@rxlet/kube-api';
import {
  type ContainerKind,
  formatContainerId,
  isSidecar,
  newestContainerStatus,
  podContainers,
  type RuntimeContainerStatus,
  type RuntimePodStatus,
  shouldContainerBeRestarted,
} from '@rxlet/pod-model';
import { containerUser, instanceState, isLost } from './container-instance.ts';
import { containerResources } from './container-resources.ts';
import { sortByName } from './normalize-status.ts';
import type { StartError } from './start-errors.ts';
import { lostWhenDeleted, removedForRestart } from './unlocated-container.ts';
import { volumeMountStatuses } from './volume-mount-statuses.ts';

/** What the statuses of a pod's containers are made from. */
export interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** Why containers could not be started, by name. */
  readonly lastStartErrors: ReadonlyMap<string, StartError>;
  /** Whether all containers of the pod are being restarted in place (KEP-5532). */
  readonly restartingAll: boolean;
  /** Whether the runtime can make read-only mounts read-only all the way down. */
  readonly recursiveReadOnlySupported: boolean;
  /** Whether the signals that stop containers are shown. */
  readonly stopSignals: boolean;
}

type AnyContainer = Container | EphemeralContainer;

/**
 * The statuses of a pod's containers of one kind, init containers in the order of the spec, others by name. What the runtime knows comes first; a
 * container that it does not know any more keeps what was reported of it; and one that could not be started says why.
 *
 * `ready` is not decided here, and `started` only carried over: both belong to the probes.
 */
export function containerStatuses(
  kind: ContainerKind,
  previous: readonly ContainerStatus[] | undefined,
  input: ContainerStatusesInput,
): readonly ContainerStatus[] {
  const previousByName = new Map(previous?.map((status) => [status.name, status]));
  const statuses = podContainers(input.pod, [kind]).map(({ container }) => {
    const status = observedStatus(container, previousByName.get(container.name), input);
    return withStartOutcome(kind, container, status, input);
  });
  return kind === 'init' ? statuses : sortByName(statuses);
}

function observedStatus(
  container: AnyContainer,
  previous: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const [newest, former] = input.runtime.containers.filter(({ name }) => name === container.name);
  return newest === undefined
    ? absentStatus(container, previous, input)
    : presentStatus(container, newest, former, previous, input);
}

/** The status of a container of which the runtime holds no instance. */
function absentStatus(
  container: AnyContainer,
  previous: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const { pod, restartingAll, recursiveReadOnlySupported } = input;
  const volumeMounts = volumeMountStatuses(container, recursiveReadOnlySupported);
  const waiting: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: waitingReason(pod) } },
    lastState: previous?.lastState ?? {},
    ready: false,
    restartCount: previous?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...(volumeMounts !== undefined && { volumeMounts }),
  };
  if (previous === undefined) return waiting;
  if (restartingAll && previous.state?.waiting === undefined) {
    const { reason, message } = removedForRestart;
    return {
      ...(previous.state?.terminated === undefined ? waiting : previous),
      state: { waiting: { reason, message } },
      lastState: { terminated: removedForRestart },
      restartCount: previous.restartCount + 1,
    };
  }
  if (previous.state?.terminated !== undefined) return previous;
  if (previous.state?.running === undefined || waiting.lastState?.terminated !== undefined) return waiting;
  // It did run, so it must not look as if it had never been started.
  return {
    ...waiting,
    lastState: { terminated: lostWhenDeleted },
    restartCount: waiting.restartCount + (pod.metadata?.deletionTimestamp === undefined ? 1 : 0),
  };
}

function waitingReason(pod: Pod): string {
  return (pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

/** The status of a container from its newest instance, and the one before that if the runtime still has it. */
function presentStatus(
  container: AnyContainer,
  newest: RuntimeContainerStatus,
  former: RuntimeContainerStatus | undefined,
  previous: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const state = instanceState(newest, previous, input.restartingAll);
  const containerID = formatContainerId(newest.id);
  const sameRun = previous?.containerID === containerID && previous.state?.running !== undefined ? previous : undefined;
  const volumeMounts = previous?.volumeMounts ?? volumeMountStatuses(container, input.recursiveReadOnlySupported);
  const allocatedResources = container.resources?.requests;
  return {
    name: container.name,
    state,
    lastState:
      former === undefined ? lastStateOf(previous, containerID) : instanceState(former, previous, input.restartingAll),
    ready: false,
    restartCount: restartCount(newest, state, previous),
    image: newest.image,
    imageID: newest.imageRef,
    containerID,
    ...(state.running !== undefined && previous?.started !== undefined && { started: previous.started }),
    ...(allocatedResources !== undefined && { allocatedResources }),
    resources: containerResources(container, newest, sameRun),
    ...(volumeMounts !== undefined && { volumeMounts }),
    ...(newest.user !== undefined && { user: containerUser(newest.user) }),
    ...stopSignalOf(newest, input),
  };
}

/** How the instance before this one ended, where only the previous status knows: the runtime has it no more. */
function lastStateOf(previous: ContainerStatus | undefined, containerID: string): ContainerState {
  const isAnother = previous?.containerID !== containerID;
  const terminated = (isAnother ? previous?.state?.terminated : undefined) ?? previous?.lastState?.terminated;
  // While a container waits for its next run, its last end is the last state; that of an instance before is known no more.
  return terminated === undefined || terminated.containerID === containerID ? {} : { terminated };
}

/** The signal that asks the instance to stop (KEP-4960), where the runtime and the feature gate have it. */
function stopSignalOf(
  instance: RuntimeContainerStatus & { readonly stopSignal?: Signal },
  { stopSignals }: ContainerStatusesInput,
): Pick<ContainerStatus, 'stopSignal'> {
  return stopSignals && instance.stopSignal !== undefined ? { stopSignal: instance.stopSignal } : {};
}

/** The count that the instance was created with, but it never goes back, and a new run after a reported end counts as one. */
function restartCount(
  newest: RuntimeContainerStatus,
  state: ContainerState,
  previous: ContainerStatus | undefined,
): number {
  if (previous === undefined) return newest.restartCount;
  if (isLost(newest, previous)) return previous.restartCount + 1;
  const endedBefore = previous.state?.terminated !== undefined && previous.restartCount >= newest.restartCount;
  if (state.running !== undefined && endedBefore) return previous.restartCount + 1;
  return Math.max(newest.restartCount, previous.restartCount);
}

/** Corrects an observed status by what is known of the container's start. */
function withStartOutcome(
  kind: ContainerKind,
  container: AnyContainer,
  status: ContainerStatus,
  input: ContainerStatusesInput,
): ContainerStatus {
  const { pod, runtime, lastStartErrors } = input;
  if (kind === 'init') {
    const newest = newestContainerStatus(runtime, container.name);
    if (newest?.state === 'exited' && newest.exitCode === 0) return status;
    if (newest === undefined && status.state?.waiting !== undefined && mustHaveCompleted(container, input)) {
      return { ...status, state: { terminated: assumedCompleted } };
    }
  }
  const error = lastStartErrors.get(container.name);
  if (error === undefined || !shouldContainerBeRestarted(pod, container, runtime)) return status;
  const terminated = status.state?.terminated;
  return {
    ...status,
    state: { waiting: { reason: error.reason, message: error.message } },
    ...(terminated !== undefined && { lastState: { terminated } }),
  };
}

const assumedCompleted: ContainerStateTerminated = {
  reason: 'Completed',
  message:
    'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
  exitCode: 0,
};

/**
 * Whether an init container that the runtime has no more must have done its work, since regular containers are there, which are made only then.
 * Unless all containers are being removed to start anew: it is to run again, and that must not count twice.
 */
function mustHaveCompleted(
  initContainer: AnyContainer,
  { pod, runtime, restartingAll }: ContainerStatusesInput,
): boolean {
  if (isSidecar(initContainer) || restartingAll) return false;
  return (pod.spec?.containers ?? []).some(({ name }) => {
    const newest = newestContainerStatus(runtime, name);
    return newest !== undefined && newest.state !== 'unknown';
  });
}
