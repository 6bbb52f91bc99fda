import type { PodProbes } from '@rxlet/agent-api/containers';
import type { Container, ContainerStatus, Pod } from '@rxlet/kube-api';
import { type ContainerKind, isSidecar, podContainers } from '@rxlet/pod-model';

/** Results of probes. Without a result, an instance with such a probe keeps its reported state, because the agent may have been restarted; one without has passed. */
type ContainerProbes = Pick<PodProbes, 'isReady' | 'isStarted'>;

/** Reported state of the instances before this status. */
export interface ReportedBefore {
  /** Previous statuses of the containers. */
  readonly statuses: readonly ContainerStatus[] | undefined;
  /**
   * Instances that started before this time, epoch milliseconds, and that no previous status has ran under another agent. They count as started, because their
   * liveness probes ran. Default: none.
   */
  readonly adoptedBeforeMs?: number | undefined;
}

/** Returns the statuses of regular containers with `started` and `ready` from probe results and the `previous` statuses. */
export function withProbeResults(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  previous: ReportedBefore,
  probes: ContainerProbes,
): readonly ContainerStatus[] {
  const containers = containersByName(pod, 'regular');
  const before = reportedInstances(previous);
  return statuses.map((status) => probed(status, containers.get(status.name), before, probes));
}

/** Returns the statuses of init containers with `started` and `ready`. Sidecars follow their probes; others are ready once they have succeeded. */
export function withInitProbeResults(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  previous: ReportedBefore,
  probes: ContainerProbes,
): readonly ContainerStatus[] {
  const before = reportedInstances(previous);
  const containers = containersByName(pod, 'init');
  return statuses.map((status) => {
    const container = containers.get(status.name);
    if (container !== undefined && isSidecar(container)) return probed(status, container, before, probes);
    return {
      ...status,
      started: isStarted(status, container, before, probes),
      ready: status.state?.terminated?.exitCode === 0,
    };
  });
}

function containersByName(pod: Pod, kind: ContainerKind): ReadonlyMap<string, Container> {
  return new Map(podContainers(pod, [kind]).map(({ container }) => [container.name, container]));
}

/** Reported instances, by container id. */
interface ReportedInstances {
  readonly statuses: ReadonlyMap<string | undefined, ContainerStatus>;
  readonly adoptedBeforeMs: number;
}

function reportedInstances({ statuses, adoptedBeforeMs = -Infinity }: ReportedBefore): ReportedInstances {
  return { statuses: new Map(statuses?.map((status) => [status.containerID, status])), adoptedBeforeMs };
}

function probed(
  status: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ContainerProbes,
): ContainerStatus {
  const started = isStarted(status, container, before, probes);
  return { ...status, started, ready: started && isReady(status, container, before, probes) };
}

function isStarted(
  { state, containerID = '' }: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ContainerProbes,
): boolean {
  if (state?.running === undefined) return false;
  const result = probes.isStarted(containerID);
  if (result !== undefined) return result;
  if (container?.startupProbe === undefined) return true;
  const reported = before.statuses.get(containerID);
  if (reported !== undefined) return reported.started === true;
  return Date.parse(state.running.startedAt ?? '') < before.adoptedBeforeMs;
}

function isReady(
  { containerID = '' }: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ContainerProbes,
): boolean {
  return (
    probes.isReady(containerID) ??
    (container?.readinessProbe === undefined || before.statuses.get(containerID)?.ready === true)
  );
}
