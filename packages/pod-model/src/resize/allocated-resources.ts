import type { Container, Pod, PodStatus, ResourceRequirements } from '@rxlet/kube-api';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import type { PodResourcesRecord } from '../resources-checkpoint.ts';

/** Returns the desired resources of a pod. Ephemeral containers have none. */
export function desiredResources(pod: Pod): PodResourcesRecord {
  return {
    containers: new Map(resizableContainers(pod).map(({ name, resources }) => [name, resources ?? {}])),
    pod: pod.spec?.resources,
  };
}

/**
 * Returns the resources that a status reports as allocated, for a pod of which no record is left; `undefined` when it reports none. Containers that it does not
 * mention have the desired ones.
 */
export function reportedResources(pod: Pod, status: PodStatus | undefined): PodResourcesRecord | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const reported = new Map(
    [...initContainerStatuses, ...containerStatuses]
      .filter(({ allocatedResources }) => allocatedResources !== undefined)
      .map((container) => [container.name, container]),
  );
  if (reported.size === 0) return undefined;
  const desired = desiredResources(pod);
  const resourcesOf = (name: string, own: ResourceRequirements): ResourceRequirements => {
    const container = reported.get(name);
    if (container === undefined) return own;
    const limits = container.resources?.limits ?? own.limits;
    return { requests: container.allocatedResources!, ...(limits && { limits }) };
  };
  return {
    containers: new Map([...desired.containers].map(([name, own]) => [name, resourcesOf(name, own)])),
    // A status has the sums of the containers also where the spec has no resources of the pod.
    pod:
      desired.pod && status?.allocatedResources ? { ...desired.pod, requests: status.allocatedResources } : desired.pod,
  };
}

/** Returns a pod with its allocated resources; the pod itself when they are the desired ones. Containers without an allocation stay as they are. */
export function withAllocatedResources(pod: Pod, allocated: PodResourcesRecord): Pod {
  if (!isResized(pod, allocated)) return pod;
  const spec = pod.spec!;
  const replace = (container: Container): Container => {
    const resources = allocated.containers.get(container.name);
    return resources === undefined || sameResources(resources, container.resources)
      ? container
      : { ...container, resources: withClaims(resources, container.resources) };
  };
  return {
    ...pod,
    spec: {
      ...spec,
      containers: spec.containers.map(replace),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(replace) }),
      ...(allocated.pod && { resources: allocated.pod }),
    },
  };
}

/** Returns resources with the claims of a container, which no resize changes and no record has. */
function withClaims(resources: ResourceRequirements, { claims }: ResourceRequirements = {}): ResourceRequirements {
  return claims === undefined ? resources : { ...resources, claims };
}

/** Reports whether a pod desires other resources than those that are allocated to it. */
export function isResized(pod: Pod, allocated: PodResourcesRecord): boolean {
  const differs = ({ name, resources }: Container): boolean => {
    const current = allocated.containers.get(name);
    return current !== undefined && !sameResources(current, resources);
  };
  if (resizableContainers(pod).some(differs)) return true;
  return allocated.pod !== undefined && !sameResources(allocated.pod, pod.spec?.resources);
}

function resizableContainers({ spec }: Pod): readonly Container[] {
  const { initContainers = [], containers = [] } = spec ?? {};
  return initContainers.length === 0 ? containers : [...initContainers, ...containers];
}

/** Reports whether requests and limits are equal as amounts: `1000m` equals `1`. */
export function sameResources(left: ResourceRequirements = {}, right: ResourceRequirements = {}): boolean {
  return left === right || (sameAmounts(left.limits, right.limits) && sameAmounts(left.requests, right.requests));
}

function sameAmounts(left: ResourceRequirements['limits'] = {}, right: ResourceRequirements['limits'] = {}): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const [one, other] = [left[name], right[name]];
    if (one === undefined || other === undefined) return false;
    return one === other || compareQuantities(parseQuantity(one), parseQuantity(other)) === 0;
  });
}
