import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { cpuMillis, quantityNumber } from '@rxlet/pod-model/quantity';

/** Resources that can change while a container runs, in the order in which they are changed. */
export const resizableResources = ['memory', 'cpu'] as const;

/** A resource that can change while a container runs. */
export type ResizableResource = (typeof resizableResources)[number];

/** Recorded resources of a pod that were last put into effect. */
export interface ActuatedResources {
  /** Container name → its resources. */
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** Resources of the pod as a whole (KEP-2837). */
  readonly pod?: ResourceRequirements | undefined;
}

/** Change of a container's resources. */
export interface ContainerResize {
  /** Whether the resize policy demands a restart, which puts all changes into effect at once. */
  readonly restart: boolean;
  /** Changed resources. `decreases` refers to the limit if it changes, otherwise to the request. */
  readonly changes: readonly { readonly resource: ResizableResource; readonly decreases: boolean }[];
}

/**
 * Compares the desired resources of a running container with those last put into effect (KEP-1287). The resources that the runtime reports are not compared,
 * because they may be rounded, stale or changed by a plugin. Without a record, all resources are put into effect again.
 *
 * @returns undefined when nothing changes
 */
export function containerResize(
  pod: Pod,
  container: Container,
  actuated: ActuatedResources,
): ContainerResize | undefined {
  const desired = { own: container.resources, pod: pod.spec!.resources };
  // Pod-level resources are recorded when the sandbox is created. A missing record must not restart containers.
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

/** Reports whether the pod-level resources differ from those last put into effect. */
export function podResourcesChanged(pod: Pod, actuated: ActuatedResources): boolean {
  const desired = pod.spec!.resources;
  if (desired === undefined) return false;
  return resizableResources.some(
    (resource) =>
      resourceAmount(resource, desired.limits) !== resourceAmount(resource, actuated.pod?.limits) ||
      requestOf(desired, resource) !== requestOf(actuated.pod, resource),
  );
}

/** Returns the limit that applies to a container: its own, or else the pod-level one. */
function limitOf(
  { own, pod }: { readonly own: ResourceRequirements | undefined; readonly pod: ResourceRequirements | undefined },
  resource: ResizableResource,
): number {
  return resourceAmount(resource, own?.limits) || resourceAmount(resource, pod?.limits);
}

function requestOf(resources: ResourceRequirements | undefined, resource: ResizableResource): number {
  return resourceAmount(resource, resources?.requests);
}

/** Returns an amount in thousandths of a CPU or in bytes; 0 when it is not set. */
export function resourceAmount(resource: ResizableResource, list: ResourceRequirements['limits']): number {
  return resource === 'cpu' ? cpuMillis(list?.['cpu']) : quantityNumber(list?.['memory']);
}

/** Reports whether a container must restart when the amount of a resource changes. */
export function requiresRestart(container: Container, resource: ResizableResource): boolean {
  const policy = container.resizePolicy?.find(({ resourceName }) => resourceName === resource);
  return policy?.restartPolicy === 'RestartContainer';
}
