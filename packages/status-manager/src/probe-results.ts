import type { PodProbes } from '@rxlet/agent-api/containers';
import type { Container, ContainerStatus, Pod, Probe } from '@rxlet/kube-api';
import { type ContainerKind, isSidecar, podContainers } from '@rxlet/pod-model';

/** Results of probes. Without a result, an instance with such a probe keeps its reported state, because the agent may have been restarted; one without has passed. */
type ContainerProbes = Pick<PodProbes, 'isReady' | 'isStarted'>;

/** Reported state of the instances before this status. */
export interface ReportedBefore {
  /** Previous statuses of the containers. */
  readonly statuses: readonly ContainerStatus[] | undefined;
  /**
   * Start of the agent, epoch milliseconds. An instance that no previous status has ran under another agent. It counts as started once it has run by then for longer than
   * its startup probe may fail: it would have been restarted. Default: no instance ran before.
   */
  readonly agentStartMs?: number | undefined;
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
  readonly agentStartMs: number;
}

function reportedInstances({ statuses, agentStartMs = -Infinity }: ReportedBefore): ReportedInstances {
  return { statuses: new Map(statuses?.map((status) => [status.containerID, status])), agentStartMs };
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
  return before.agentStartMs - Date.parse(state.running.startedAt ?? '') > longestStartMs(container.startupProbe);
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

/** Returns the time for which a startup probe may fail before the container is restarted, with the defaults of the API. */
function longestStartMs({ initialDelaySeconds = 0, periodSeconds, failureThreshold, timeoutSeconds }: Probe): number {
  const failuresSeconds = (failureThreshold || 3) * Math.max(periodSeconds || 10, timeoutSeconds || 1);
  return (initialDelaySeconds + failuresSeconds) * 1_000;
}
