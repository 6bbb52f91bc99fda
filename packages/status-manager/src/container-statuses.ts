import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  ResourceRequirements,
  Signal,
  VolumeMount,
  VolumeMountStatus,
} from '@rxlet/kube-api';
import { type ContainerKind, formatContainerId, isSidecar, podContainers } from '@rxlet/pod-model';
import { shouldContainerBeRestarted } from '@rxlet/pod-model/restart';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { containerUser, instanceState, isLost } from './container-instance.ts';
import { containerResources } from './container-resources.ts';
import { sortByName } from './normalize-status.ts';
import type { StartError } from './start-errors.ts';
import { lostWhenDeleted, removedForRestart } from './unlocated-container.ts';

/** Input of {@link containerStatuses}. */
export interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** Start errors of containers, by name. */
  readonly lastStartErrors: ReadonlyMap<string, StartError>;
  /** Whether all containers of the pod are being restarted in place (KEP-5532). */
  readonly restartingAll: boolean;
  /** Resources last put into effect, by container name. */
  readonly actuatedResources: ReadonlyMap<string, ResourceRequirements>;
  /** Whether the runtime supports recursive read-only mounts. */
  readonly recursiveReadOnlySupported: boolean;
  /** Whether stop signals are reported. */
  readonly stopSignals: boolean;
}

type AnyContainer = Container | EphemeralContainer;

/** Input with what the containers of a pod have in common: there may be thousands, so that none may search among the others. */
interface IndexedInput extends ContainerStatusesInput {
  /** Instances by container name, newest first. */
  readonly instances: ReadonlyMap<string, readonly RuntimeContainerStatus[]>;
  /** Whether the runtime has an instance of a regular container. */
  readonly hasRegularInstance: boolean;
}

function indexed(input: ContainerStatusesInput): IndexedInput {
  const instances = Map.groupBy(input.runtime.containers, ({ name }) => name);
  const hasRegularInstance = (input.pod.spec?.containers ?? []).some(({ name }) => {
    const newest = instances.get(name)?.[0];
    return newest !== undefined && newest.state !== 'unknown';
  });
  return { ...input, instances, hasRegularInstance };
}

/**
 * Returns the statuses of a pod's containers of one kind: init containers in spec order, others by name. The state in the runtime takes precedence. A container
 * without an instance keeps its reported state, and a start error becomes the waiting reason.
 *
 * `ready` is always false and `started` is carried over: both follow from the probes.
 */
export function containerStatuses(
  kind: ContainerKind,
  previous: readonly ContainerStatus[] | undefined,
  input: ContainerStatusesInput,
): readonly ContainerStatus[] {
  const common = indexed(input);
  const previousByName = new Map(previous?.map((status) => [status.name, status]));
  const statuses = podContainers(input.pod, [kind]).map(({ container }) => {
    const status = observedStatus(container, previousByName.get(container.name), common);
    return withStartOutcome(kind, container, status, common);
  });
  return kind === 'init' ? statuses : sortByName(statuses);
}

function observedStatus(
  container: AnyContainer,
  previous: ContainerStatus | undefined,
  input: IndexedInput,
): ContainerStatus {
  const [newest, older] = input.instances.get(container.name) ?? [];
  return newest === undefined
    ? absentStatus(container, previous, input)
    : presentStatus(container, newest, older, previous, input);
}

/** Returns the status of a container without an instance in the runtime. */
function absentStatus(
  container: AnyContainer,
  previous: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const { pod, restartingAll, recursiveReadOnlySupported } = input;
  const volumeMounts = volumeMountStatuses(container, recursiveReadOnlySupported);
  const lastState = previous?.lastState ?? {};
  const waiting: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: waitingReason(pod) } },
    lastState,
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
  if (previous.state?.running === undefined || lastState.terminated !== undefined) return waiting;
  // Record the run, so that the container does not look as if it had never been started.
  return {
    ...waiting,
    lastState: { terminated: lostWhenDeleted },
    restartCount: waiting.restartCount + (pod.metadata?.deletionTimestamp === undefined ? 1 : 0),
  };
}

function waitingReason(pod: Pod): string {
  return (pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

/** Returns the status of a container from its newest instance and the previous one, if the runtime still has it. */
function presentStatus(
  container: AnyContainer,
  newest: RuntimeContainerStatus,
  older: RuntimeContainerStatus | undefined,
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
      older === undefined ? lastStateOf(previous, containerID) : instanceState(older, previous, input.restartingAll),
    ready: false,
    restartCount: restartCount(newest, state, previous),
    image: newest.image,
    imageID: newest.imageRef,
    containerID,
    ...(state.running !== undefined && previous?.started !== undefined && { started: previous.started }),
    ...(allocatedResources !== undefined && { allocatedResources }),
    resources: containerResources(container, newest, sameRun, input.actuatedResources.get(container.name)),
    ...(volumeMounts !== undefined && { volumeMounts }),
    ...(newest.user !== undefined && { user: containerUser(newest.user) }),
    ...stopSignalOf(newest, input),
  };
}

/** Returns the last state from the previous status, because the runtime has removed the previous instance. */
function lastStateOf(previous: ContainerStatus | undefined, containerID: string): ContainerState {
  const isAnother = previous?.containerID !== containerID;
  const terminated = (isAnother ? previous?.state?.terminated : undefined) ?? previous?.lastState?.terminated;
  // While a container waits for its next run, its last exit is the last state. Earlier instances are lost.
  return terminated === undefined || terminated.containerID === containerID ? {} : { terminated };
}

/** Returns the stop signal of the instance (KEP-4960), if the runtime and the feature gate support it. */
function stopSignalOf(
  instance: RuntimeContainerStatus & { readonly stopSignal?: Signal },
  { stopSignals }: ContainerStatusesInput,
): Pick<ContainerStatus, 'stopSignal'> {
  return stopSignals && instance.stopSignal !== undefined ? { stopSignal: instance.stopSignal } : {};
}

/** Returns the count of the instance, which never decreases. A new run after a reported exit counts as a restart. */
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

/** Adds the outcome of the last start to an observed status. */
function withStartOutcome(
  kind: ContainerKind,
  container: AnyContainer,
  status: ContainerStatus,
  input: IndexedInput,
): ContainerStatus {
  const { pod, runtime, lastStartErrors } = input;
  if (kind === 'init') {
    const newest = input.instances.get(container.name)?.[0];
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
 * Reports whether an init container without an instance must have completed: regular containers exist, which are created only afterwards. That does not hold while
 * all containers are removed for a restart in place, because it would count twice.
 */
function mustHaveCompleted(initContainer: AnyContainer, { restartingAll, hasRegularInstance }: IndexedInput): boolean {
  return hasRegularInstance && !isSidecar(initContainer) && !restartingAll;
}

/** Returns the volume mount statuses of a container from its spec; `undefined` without mounts. */
function volumeMountStatuses(
  container: Pick<Container, 'volumeMounts'>,
  recursiveReadOnlySupported: boolean,
): readonly VolumeMountStatus[] | undefined {
  if (container.volumeMounts === undefined || container.volumeMounts.length === 0) return undefined;
  return container.volumeMounts.map((mount) => {
    const status: VolumeMountStatus = { name: mount.name, mountPath: mount.mountPath };
    if (mount.readOnly !== true) return status;
    const recursive = recursiveReadOnlySupported && wantsRecursiveReadOnly(mount);
    return { ...status, readOnly: true, recursiveReadOnly: recursive ? 'Enabled' : 'Disabled' };
  });
}

/** Reports whether a mount is recursively read-only (KEP-3857), which excludes mount propagation. A container that requires both never starts. */
function wantsRecursiveReadOnly({ recursiveReadOnly, mountPropagation = 'None' }: VolumeMount): boolean {
  return mountPropagation === 'None' && (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible');
}
