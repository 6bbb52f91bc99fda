import {
  type Container as ContainerMessage,
  type ContainerFilter,
  type PodSandbox as PodSandboxMessage,
  type PodSandboxFilter,
} from '@rxlet/cri-api';

/** Returns the sandboxes that match every condition of `filter`. */
export function filterSandboxes(
  sandboxes: PodSandboxMessage[],
  filter: PodSandboxFilter | undefined,
): PodSandboxMessage[] {
  if (filter === undefined) return sandboxes;
  const { id, state, labelSelector } = filter;
  const selector = Object.entries(labelSelector);
  if (id === '' && state === undefined && selector.length === 0) return sandboxes;
  return sandboxes.filter(
    (sandbox) =>
      hasId(sandbox.id, id) &&
      (state === undefined || sandbox.state === state.state) &&
      hasLabels(sandbox.labels, selector),
  );
}

/** Returns the containers that match every condition of `filter`. */
export function filterContainers(
  containers: ContainerMessage[],
  filter: ContainerFilter | undefined,
): ContainerMessage[] {
  if (filter === undefined) return containers;
  const { id, podSandboxId, state, labelSelector } = filter;
  const selector = Object.entries(labelSelector);
  if (id === '' && podSandboxId === '' && state === undefined && selector.length === 0) return containers;
  return containers.filter(
    (container) =>
      hasId(container.id, id) &&
      hasId(container.podSandboxId, podSandboxId) &&
      (state === undefined || container.state === state.state) &&
      hasLabels(container.labels, selector),
  );
}

/** As in every call, a filter's id may be abbreviated. */
function hasId(id: string, wanted: string): boolean {
  return id.startsWith(wanted);
}

/** Reports whether labels match a selector of the CRI: each label must be present with that value. */
function hasLabels(
  labels: Readonly<Record<string, string>>,
  selector: readonly (readonly [string, string])[],
): boolean {
  return selector.every(([key, value]) => labels[key] === value);
}
