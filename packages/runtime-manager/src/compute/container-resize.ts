import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { cpuMillis, quantityNumber } from '@rxlet/pod-model';

/** The resources that can change while a container runs, in the order in which they do. */
export const resizableResources = ['memory', 'cpu'] as const;

/** A resource that can change while a container runs. */
export type ResizableResource = (typeof resizableResources)[number];

/** What was last put into effect of the resources of a pod, as far as it is on record. */
export interface ActuatedResources {
  /** Container name → its resources. */
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** Those of the pod as a whole (KEP-2837). */
  readonly pod?: ResourceRequirements | undefined;
}

/** What the change of a container's resources calls for. */
export interface ContainerResize {
  /** The container's resize policy asks for a restart, which brings all changes into effect at once. */
  readonly restart: boolean;
  /** What changes. The amount that is compared is the limit where that changes, else the request. */
  readonly changes: readonly { readonly resource: ResizableResource; readonly decreases: boolean }[];
}

/**
 * Compares the resources that a running container is to have with those last put into effect (KEP-1287), not with what the runtime reports: that may be
 * rounded, late, or changed by a plugin on its way. Without a record nothing counts as in effect, so that everything is put into effect again.
 *
 * @returns undefined when nothing changes
 */
export function containerResize(
  pod: Pod,
  container: Container,
  actuated: ActuatedResources,
): ContainerResize | undefined {
  const desired = { own: container.resources, pod: pod.spec!.resources };
  // The pod's resources are on record from its sandbox on. Should they be missing all the same, that is no reason to restart its containers.
  const current = { own: actuated.containers.get(container.name), pod: actuated.pod ?? pod.spec!.resources };

  const changes = resizableResources.flatMap((resource) => {
    const [limit, limitNow] = [limitOf(desired, resource), limitOf(current, resource)];
    const [request, requestNow] = [requestOf(desired.own, resource), requestOf(current.own, resource)];
    if (limit !== limitNow) return [{ resource, decreases: limit < limitNow }];
    return request === requestNow ? [] : [{ resource, decreases: request < requestNow }];
  });
  if (changes.length === 0) return undefined;
  return { restart: changes.some(({ resource }) => requiresRestart(container, resource)), changes };
}

/** Whether the resources of the pod as a whole differ from those last put into effect. */
export function podResourcesChanged(pod: Pod, actuated: ActuatedResources): boolean {
  const desired = pod.spec!.resources;
  if (desired === undefined) return false;
  return resizableResources.some(
    (resource) =>
      resourceAmount(resource, desired.limits) !== resourceAmount(resource, actuated.pod?.limits) ||
      requestOf(desired, resource) !== requestOf(actuated.pod, resource),
  );
}

/** A container that sets no limit of its own is held to that of its pod. */
function limitOf(
  { own, pod }: { readonly own: ResourceRequirements | undefined; readonly pod: ResourceRequirements | undefined },
  resource: ResizableResource,
): number {
  return resourceAmount(resource, own?.limits) || resourceAmount(resource, pod?.limits);
}

function requestOf(resources: ResourceRequirements | undefined, resource: ResizableResource): number {
  return resourceAmount(resource, resources?.requests);
}

/** Thousandths of a CPU, or bytes; 0 when not set. */
export function resourceAmount(resource: ResizableResource, list: ResourceRequirements['limits']): number {
  return resource === 'cpu' ? cpuMillis(list?.['cpu']) : quantityNumber(list?.['memory']);
}

/** Whether a container has to restart for another amount of a resource. */
export function requiresRestart(container: Container, resource: ResizableResource): boolean {
  const policy = container.resizePolicy?.find(({ resourceName }) => resourceName === resource);
  return policy?.restartPolicy === 'RestartContainer';
}
