import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@rxlet/cri-api';

/**
 * Returns the sandboxes to measure, by their id. Of several sandboxes of one name, which a restart of the sandbox or a successor of the pod leads to, those that are
 * ready count, or the newest when none is.
 */
export function currentSandboxes(sandboxes: readonly PodSandbox[]): ReadonlyMap<string, PodSandbox> {
  const byName = Map.groupBy(sandboxes, ({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
  const current = [...byName.values()].flatMap((same) => {
    if (same.length === 1) return same;
    const ready = same.filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
    return ready.length > 0 ? ready : [same.reduce(newer)];
  });
  return new Map(current.map((sandbox) => [sandbox.id, sandbox]));
}

/** Returns the running containers by their id. */
export function currentContainers(containers: readonly Container[]): ReadonlyMap<string, Container> {
  const running = containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
  return new Map(running.map((container) => [container.id, container]));
}

function newer(first: PodSandbox, second: PodSandbox): PodSandbox {
  return second.createdAt >= first.createdAt ? second : first;
}
