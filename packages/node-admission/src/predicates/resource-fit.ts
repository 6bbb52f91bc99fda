import type { OtherPods } from '@rxlet/agent-api';
import type { Container, Node, Pod } from '@rxlet/kube-api';
import { type ParsedQuantity, parseQuantity, quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';
import type { InsufficientResource } from '../admission-failure.ts';
import { isCountedResource, isExtendedResource } from './resource-names.ts';

/** Amounts by resource name: CPU in thousandths, everything else in units of the resource. */
type Amounts = Readonly<Record<string, bigint>>;

/** Resources that are compared first, in this order. */
const FIRST_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** Returns the resources that the node has too little of for one more pod. */
export function insufficientResources(pod: Pod, node: Node, others: OtherPods): readonly InsufficientResource[] {
  const allocatable = node.status?.allocatable;
  const capacity = toAmounts(allocatable);
  const requested = toAmounts(podRequests(withoutUnadvertised(pod, capacity)));
  const failures: InsufficientResource[] = [];
  const compare = (resource: string, request: bigint, inUse: bigint, limit: bigint): void => {
    if (request > limit - inUse)
      failures.push({ kind: 'insufficient-resource', resource, requested: request, used: inUse, capacity: limit });
  };
  compare('pods', 1n, BigInt(others.count), quantityValue(parseQuantity(allocatable?.['pods'] ?? '0')));
  const scalars = Object.keys(requested).filter((name) => !FIRST_RESOURCES.includes(name));
  for (const name of [...FIRST_RESOURCES, ...scalars.sort()]) {
    const request = requested[name] ?? 0n;
    if (request > 0n) compare(name, request, others.sum(requestsOnNode, name), capacity[name] ?? 0n);
  }
  return failures;
}

/**
 * Returns the pod without requests for extended resources that the node does not advertise, which others provide, and without those that are allocated by
 * resource claims.
 */
function withoutUnadvertised(pod: Pod, capacity: Amounts): Pod {
  const claimed = pod.status?.extendedResourceClaimStatus?.requestMappings ?? [];
  const isProvided = (container: Container, resource: string): boolean =>
    !isExtendedResource(resource) ||
    (Object.hasOwn(capacity, resource) &&
      !claimed.some(
        ({ containerName, resourceName }) => containerName === container.name && resourceName === resource,
      ));
  const reduce = (container: Container): Container => {
    const requests = Object.entries(container.resources?.requests ?? {});
    const kept = requests.filter(([resource]) => isProvided(container, resource));
    if (kept.length === requests.length) return container;
    return { ...container, resources: { ...container.resources, requests: Object.fromEntries(kept) } };
  };
  const { spec } = pod;
  if (spec === undefined) return pod;
  const initContainers = spec.initContainers?.map(reduce);
  return {
    ...pod,
    spec: { ...spec, containers: spec.containers.map(reduce), ...(initContainers !== undefined && { initContainers }) },
  };
}

/** Returns the requests of a pod on the node. A resize in place counts as the larger of its two sizes. */
function requestsOnNode(pod: Pod): Amounts {
  return toAmounts(podRequests(pod, { useStatusResources: true }));
}

function toAmounts(list: Readonly<Record<string, string | number | ParsedQuantity>> = {}): Amounts {
  const amounts: Record<string, bigint> = {};
  for (const [name, given] of Object.entries(list)) {
    if (!isCountedResource(name)) continue;
    const quantity = typeof given === 'object' ? given : parseQuantity(given);
    amounts[name] = name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
  }
  return amounts;
}
