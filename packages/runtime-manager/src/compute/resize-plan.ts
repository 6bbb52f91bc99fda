import type { Container, Pod } from '@rxlet/kube-api';
import type { RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import {
  type ActuatedResources,
  containerResize,
  type ResizableResource,
  resizableResources,
} from './container-resize.ts';
import type { ContainerToKill } from './pod-actions.ts';

/** Collects the resizes of a pod's running containers. */
export interface ResizePlan {
  /**
   * Adds the resize of a container that would otherwise keep running.
   * @returns the kill of the container if its resize demands a restart; `undefined` if it keeps running.
   */
  consider(container: Container, status: RuntimeContainerStatus): ContainerToKill | undefined;
  /** Changed resource → names of the containers to update, in order. */
  readonly containersToUpdate: Readonly<Partial<Record<ResizableResource, readonly string[]>>>;
  /** Whether a container restarts with other resources, so that the pod's cgroup must be updated. */
  readonly updatePodResources: boolean;
}

/** Creates a {@link ResizePlan}. Without `actuated`, no container is resized. */
export function createResizePlan(pod: Pod, actuated: ActuatedResources | undefined): ResizePlan {
  const queues: Record<ResizableResource, string[]> = { memory: [], cpu: [] };
  let updatePodResources = false;
  return {
    consider(container, status) {
      const resize = actuated && containerResize(pod, container, actuated);
      if (resize === undefined) return undefined;
      const { name } = container;
      if (resize.restart) {
        updatePodResources = true;
        return { id: status.id.id, name, message: `Container ${name} resize requires restart`, reason: '' };
      }
      for (const { resource, decreases } of resize.changes) {
        // Decreases come first, to free resources for the increases.
        if (decreases) queues[resource].unshift(name);
        else queues[resource].push(name);
      }
      return undefined;
    },
    get containersToUpdate() {
      return Object.fromEntries(
        resizableResources
          .filter((resource) => queues[resource].length > 0)
          .map((resource) => [resource, queues[resource]]),
      );
    },
    get updatePodResources() {
      return updatePodResources;
    },
  };
}
