import type { Container, ContainerStateTerminated, ContainerStatus, Pod, PodPhase } from '@rxlet/kube-api';
import { isSidecar, isStaticPod, podContainers } from '@rxlet/pod-model';
import { containerShouldRestart } from '@rxlet/pod-model/restart';
import { RESTARTING_ALL_CONTAINERS } from './unlocated-container.ts';

/** Input of {@link podPhase}. */
export interface PodPhaseInput {
  readonly pod: Pod;
  /** Statuses of the init and regular containers, in any order. */
  readonly statuses: readonly ContainerStatus[];
  /** Whether all containers are stopped and will not be restarted, regardless of their restart policies. */
  readonly podIsTerminal: boolean;
  /** Whether the active sandbox has an instance of a regular container. The pod is then initialized, even if a sidecar restarts. */
  readonly hasActiveRegularContainer: boolean;
}

/** Returns the phase of a pod from the states of its containers. Callers must keep an earlier terminal phase. */
export function podPhase({ pod, statuses, podIsTerminal, hasActiveRegularContainer }: PodPhaseInput): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const initContainers = podContainers(pod, ['init']).map(({ container }) => container);
  const regularInit = tallyInit(
    pod,
    initContainers.filter((container) => !isSidecar(container)),
    byName,
  );
  const sidecars = tallySidecars(initContainers.filter(isSidecar), byName);
  const apps = tallyApps(pod, byName);

  if (regularInit.failedForGood > 0) return 'Failed';
  if (regularInit.pending > 0 || (sidecars.starting > 0 && !hasActiveRegularContainer)) return 'Pending';
  // Containers that wait for their first run, or have an unknown state.
  if (sidecars.unseen + apps.unseen > 0) return 'Pending';
  if (sidecars.running + apps.running > 0) return 'Running';
  if (apps.stopped === 0) return 'Pending';
  const outcome = apps.stopped === apps.succeeded ? 'Succeeded' : 'Failed';
  if (podIsTerminal && !isStaticPod(pod)) return outcome;
  return apps.stopped > apps.stoppedForGood ? 'Running' : outcome;
}

type StatusesByName = ReadonlyMap<string, ContainerStatus>;

/** Returns the current or last termination of a container, unless it waits for its first run. */
function ended(status: ContainerStatus | undefined): ContainerStateTerminated | undefined {
  return status?.state?.terminated ?? (status?.state?.waiting && status.lastState?.terminated);
}

function willRestart(container: Container, pod: Pod, { reason, exitCode }: ContainerStateTerminated): boolean {
  return reason === RESTARTING_ALL_CONTAINERS || containerShouldRestart(container, pod, exitCode);
}

/** Counts init containers without sidecars. */
function tallyInit(
  pod: Pod,
  containers: readonly Container[],
  statuses: StatusesByName,
): { pending: number; failedForGood: number } {
  const tally = { pending: 0, failedForGood: 0 };
  for (const container of containers) {
    const end = ended(statuses.get(container.name));
    if (end === undefined) tally.pending += 1;
    else if (end.exitCode !== 0 && !willRestart(container, pod, end)) tally.failedForGood += 1;
  }
  return tally;
}

/** Counts sidecars. A terminated sidecar has no effect on the phase. */
function tallySidecars(
  containers: readonly Container[],
  statuses: StatusesByName,
): { running: number; starting: number; unseen: number } {
  const tally = { running: 0, starting: 0, unseen: 0 };
  for (const { name } of containers) {
    const status = statuses.get(name);
    if (status?.state?.running !== undefined) {
      tally.running += 1;
      if (status.started !== true) tally.starting += 1;
    } else if (ended(status) === undefined) {
      tally.unseen += 1;
    }
  }
  return tally;
}

function tallyApps(
  pod: Pod,
  statuses: StatusesByName,
): { running: number; unseen: number; stopped: number; stoppedForGood: number; succeeded: number } {
  const tally = { running: 0, unseen: 0, stopped: 0, stoppedForGood: 0, succeeded: 0 };
  for (const { container } of podContainers(pod, ['regular'])) {
    const status = statuses.get(container.name);
    const { running, terminated } = status?.state ?? {};
    const end = ended(status);
    if (running !== undefined) {
      tally.running += 1;
    } else if (end !== undefined) {
      tally.stopped += 1;
      if (!willRestart(container, pod, end)) tally.stoppedForGood += 1;
      // A container that waits for a restart has not succeeded, whatever its last exit code.
      if (terminated?.exitCode === 0) tally.succeeded += 1;
    } else {
      tally.unseen += 1;
    }
  }
  return tally;
}
