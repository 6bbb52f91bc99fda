import type { Container, ContainerStatus, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

/**
 * What probes have found out about containers, by container id as the status shows it (`containerd://0123…`). `undefined` means that there is no
 * result: then a container counts as passed unless it has a probe of that kind.
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
  const startedBefore = startedInstances(previous);
  return statuses.map((status) => probed(status, containers.get(status.name), startedBefore, probes));
}

/** The statuses of init containers with `started` and `ready` set: sidecars by their probes, the others are ready when they succeeded. */
export function withInitProbeResults(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  previous: readonly ContainerStatus[] | undefined,
  probes: ProbeResults,
): readonly ContainerStatus[] {
  const startedBefore = startedInstances(previous);
  const containers = new Map(pod.spec?.initContainers?.map((container) => [container.name, container]));
  return statuses.map((status) => {
    const container = containers.get(status.name);
    if (container !== undefined && isSidecar(container)) return probed(status, container, startedBefore, probes);
    return {
      ...status,
      started: isStarted(status, container, startedBefore, probes),
      ready: status.state?.terminated?.exitCode === 0,
    };
  });
}

type StartedInstances = ReadonlySet<string | undefined>;

function startedInstances(previous: readonly ContainerStatus[] | undefined): StartedInstances {
  return new Set(previous?.filter(({ started }) => started === true).map(({ containerID }) => containerID));
}

function probed(
  status: ContainerStatus,
  container: Container | undefined,
  startedBefore: StartedInstances,
  probes: ProbeResults,
): ContainerStatus {
  const started = isStarted(status, container, startedBefore, probes);
  return { ...status, started, ready: started && isReady(status, container, probes) };
}

function isStarted(
  status: ContainerStatus,
  container: Container | undefined,
  startedBefore: StartedInstances,
  probes: ProbeResults,
): boolean {
  if (status.state?.running === undefined) return false;
  const result = probes.isStarted(status.containerID ?? '');
  if (result !== undefined) return result;
  // The agent may have been restarted: the instance that was reported started has passed its probe before.
  return container?.startupProbe === undefined || startedBefore.has(status.containerID);
}

function isReady(status: ContainerStatus, container: Container | undefined, probes: ProbeResults): boolean {
  return probes.isReady(status.containerID ?? '') ?? container?.readinessProbe === undefined;
}
