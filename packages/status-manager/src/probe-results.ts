import type { Container, ContainerStatus, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

/**
 * What probes have found out about containers, by container id as the status shows it (`containerd://0123…`). `undefined` means that there is no
 * result: then an instance that has a probe of that kind keeps what was reported of it (the agent may have been restarted), and any other has passed.
 */
export interface ProbeResults {
  /** The last result of the readiness probe. */
  isReady(containerId: string): boolean | undefined;
  /** The last result of the startup probe. */
  isStarted(containerId: string): boolean | undefined;
}

/** No container was probed. */
export const noProbeResults: ProbeResults = { isReady: () => undefined, isStarted: () => undefined };

/** The statuses of regular containers with `started` and `ready` set, by probe results and by what was `previous`ly reported. */
export function withProbeResults(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  previous: readonly ContainerStatus[] | undefined,
  probes: ProbeResults,
): readonly ContainerStatus[] {
  const containers = new Map(pod.spec?.containers?.map((container) => [container.name, container]));
  const before = reportedInstances(previous);
  return statuses.map((status) => probed(status, containers.get(status.name), before, probes));
}

/** The statuses of init containers with `started` and `ready` set: sidecars by their probes, the others are ready when they succeeded. */
export function withInitProbeResults(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  previous: readonly ContainerStatus[] | undefined,
  probes: ProbeResults,
): readonly ContainerStatus[] {
  const before = reportedInstances(previous);
  const containers = new Map(pod.spec?.initContainers?.map((container) => [container.name, container]));
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

/** What was last reported of instances, by container id. */
type ReportedInstances = ReadonlyMap<string | undefined, ContainerStatus>;

function reportedInstances(previous: readonly ContainerStatus[] | undefined): ReportedInstances {
  return new Map(previous?.map((status) => [status.containerID, status]));
}

function probed(
  status: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ProbeResults,
): ContainerStatus {
  const started = isStarted(status, container, before, probes);
  return { ...status, started, ready: started && isReady(status, container, before, probes) };
}

function isStarted(
  { state, containerID = '' }: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ProbeResults,
): boolean {
  if (state?.running === undefined) return false;
  return (
    probes.isStarted(containerID) ??
    (container?.startupProbe === undefined || before.get(containerID)?.started === true)
  );
}

function isReady(
  { containerID = '' }: ContainerStatus,
  container: Container | undefined,
  before: ReportedInstances,
  probes: ProbeResults,
): boolean {
  return (
    probes.isReady(containerID) ?? (container?.readinessProbe === undefined || before.get(containerID)?.ready === true)
  );
}
