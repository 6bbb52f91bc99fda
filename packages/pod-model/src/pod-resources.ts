import type { Container, ContainerStatus, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { isSidecar } from './containers.ts';
import { addQuantities, compareQuantities, isZeroQuantity, type ParsedQuantity, parseQuantity } from './quantity.ts';

/** Amounts by resource name, e.g. `cpu`, `memory`, `hugepages-2Mi`, `example.com/gpu`. */
export type ResourceAmounts = Readonly<Record<string, ParsedQuantity>>;

/** Options of {@link podRequests} and {@link podLimits}. */
export interface PodResourcesOptions {
  /** Excludes the overhead of the pod's runtime class. */
  readonly excludeOverhead?: boolean;
  /** Excludes pod-level resources (KEP-2837). */
  readonly skipPodLevelResources?: boolean;
  /** Includes the resources in container statuses, for a resize in place that is in progress (KEP-1287). */
  readonly useStatusResources?: boolean;
}

/** A sum being built. */
type Amounts = Record<string, ParsedQuantity>;
type ResourceList = ResourceRequirements['requests'];

/**
 * Returns the requests of a pod: the sum over its regular containers and sidecars, at least the maximum during its start (an init container and the sidecars
 * before it), overridden by pod-level requests, plus overhead.
 *
 * @throws QuantityError when the pod has a malformed quantity
 *
 * @example
 * ```ts
 * import { formatQuantity } from '@rxlet/pod-model/quantity';
 * import { podRequests } from '@rxlet/pod-model/resources';
 *
 * const requests = { cpu: '250m', memory: '64Mi' };
 * const containers = ['app', 'proxy'].map((name) => ({ name, resources: { requests } }));
 * console.log(formatQuantity(podRequests({ spec: { containers } })['cpu']!)); // 500m
 * ```
 */
export function podRequests(pod: Pod, options: PodResourcesOptions = {}): ResourceAmounts {
  const total = sumContainers(pod, 'requests', options);
  if (options.skipPodLevelResources !== true) overrideByPod(total, pod.spec?.resources?.requests);
  if (options.excludeOverhead !== true) {
    for (const [name, quantity] of Object.entries(pod.spec?.overhead ?? {})) add(total, name, parseQuantity(quantity));
  }
  return total;
}

/** Returns the limits of a pod by the rules of {@link podRequests}. Overhead is added to existing limits only. */
export function podLimits(pod: Pod, options: PodResourcesOptions = {}): ResourceAmounts {
  const total = sumContainers(pod, 'limits', options);
  if (options.skipPodLevelResources !== true) overrideByPod(total, pod.spec?.resources?.limits);
  if (options.excludeOverhead !== true) {
    for (const [name, quantity] of Object.entries(pod.spec?.overhead ?? {})) {
      const limit = total[name];
      if (limit !== undefined && !isZeroQuantity(limit)) add(total, name, parseQuantity(quantity));
    }
  }
  return total;
}

/** Reports whether a resource can be set for a pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Reports whether the pod sets requests or limits for itself as a whole (KEP-2837). */
export function hasPodLevelResources(pod: Pod): boolean {
  const { requests = {}, limits = {} } = pod.spec?.resources ?? {};
  return [...Object.keys(requests), ...Object.keys(limits)].some(isPodLevelResource);
}

/** Reports whether the pod has pod-level requests. */
export function hasPodLevelRequests(pod: Pod): boolean {
  return Object.keys(pod.spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

function sumContainers(pod: Pod, field: 'requests' | 'limits', options: PodResourcesOptions): Amounts {
  const total: Amounts = {};
  const sidecars: Amounts = {};
  const peak: Amounts = {};
  const effective = options.useStatusResources === true ? statusReader(pod, field) : undefined;
  const amountsOf = (container: Container): ResourceAmounts =>
    effective?.(container) ?? parseAmounts(container.resources?.[field]);

  for (const container of pod.spec?.containers ?? []) addAll(total, amountsOf(container));
  for (const container of pod.spec?.initContainers ?? []) {
    if (isSidecar(container)) {
      const amounts = amountsOf(container);
      addAll(total, amounts);
      addAll(sidecars, amounts);
    } else {
      // A regular init container is never resized. What sidecars need beside it is in the total.
      const needed = parseAmounts(container.resources?.[field]);
      for (const name of Object.keys(needed)) if (sidecars[name] !== undefined) add(needed, name, sidecars[name]);
      raiseAll(peak, needed);
    }
  }
  raiseAll(total, peak);
  return total;
}

/** Creates a function that returns the resources of a container by its status; `undefined` without a reported status. */
function statusReader(pod: Pod, field: 'requests' | 'limits'): (container: Container) => ResourceAmounts | undefined {
  const statuses = new Map<string, ContainerStatus>();
  for (const status of pod.status?.containerStatuses ?? []) statuses.set(status.name, status);
  for (const status of pod.status?.initContainerStatuses ?? []) statuses.set(status.name, status);
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const infeasible = pending?.reason === 'Infeasible';
  return (container) => {
    const status = statuses.get(container.name);
    if (status?.resources === undefined) return undefined;
    const amounts = parseAmounts(status.resources[field]);
    if (field === 'requests') raiseAll(amounts, parseAmounts(status.allocatedResources));
    // An infeasible resize does not count.
    if (!infeasible) raiseAll(amounts, parseAmounts(container.resources?.[field]));
    return amounts;
  };
}

function overrideByPod(total: Amounts, podLevel: ResourceList): void {
  for (const [name, quantity] of Object.entries(podLevel ?? {})) {
    if (isPodLevelResource(name)) total[name] = parseQuantity(quantity);
  }
}

function parseAmounts(list: ResourceList): Amounts {
  const amounts: Amounts = {};
  for (const [name, quantity] of Object.entries(list ?? {})) amounts[name] = parseQuantity(quantity);
  return amounts;
}

function add(amounts: Amounts, name: string, quantity: ParsedQuantity): void {
  const sum = amounts[name];
  amounts[name] = sum === undefined ? quantity : addQuantities(sum, quantity);
}

function addAll(amounts: Amounts, more: ResourceAmounts): void {
  for (const name of Object.keys(more)) add(amounts, name, more[name] as ParsedQuantity);
}

function raiseAll(amounts: Amounts, others: ResourceAmounts): void {
  for (const name of Object.keys(others)) {
    const other = others[name] as ParsedQuantity;
    const own = amounts[name];
    if (own === undefined || compareQuantities(other, own) > 0) amounts[name] = other;
  }
}
