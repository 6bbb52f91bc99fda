import type { Container, Pod } from '@rxlet/kube-api';
import type { RuntimeContainerStatus } from '@rxlet/pod-model';
import {
  type ActuatedResources,
  containerResize,
  type ResizableResource,
  resizableResources,
} from './container-resize.ts';
import type { ContainerToKill } from './pod-actions.ts';

/** Gathers what the resizes of a pod's running containers call for. */
export interface ResizePlan {
  /**
   * Looks at a container that would otherwise stay.
   * @returns the kill with which its resize begins, if it cannot change while it runs; undefined when it stays.
   */
  consider(container: Container, status: RuntimeContainerStatus): ContainerToKill | undefined;
  /** Resource → names of the containers to update, in order; only resources that change. */
  readonly containersToUpdate: Readonly<Partial<Record<ResizableResource, readonly string[]>>>;
  /** Whether a container restarts with other resources, which its pod's cgroup has to allow for. */
  readonly updatePodResources: boolean;
}

/** Creates a {@link ResizePlan}. Without `actuated` no container is ever resized. */
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
        // What is given back first makes room for what is taken then.
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
