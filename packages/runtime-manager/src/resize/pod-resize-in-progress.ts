import type { Pod } from '@rxlet/kube-api';
import { newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { type ActuatedResources, containerResize, podResourcesChanged } from '../compute/container-resize.ts';

/** Reports whether desired resources of a running container, or of the pod as a whole, are not in effect yet (condition `PodResizeInProgress`). */
export function podResizeInProgress(pod: Pod, status: RuntimePodStatus, actuated: ActuatedResources): boolean {
  const containers = [...(pod.spec!.initContainers ?? []), ...pod.spec!.containers];
  const running = containers.filter(({ name }) => newestContainerStatus(status, name)?.state === 'running');
  if (running.some((container) => containerResize(pod, container, actuated) !== undefined)) return true;
  return status.sandboxes.length > 0 && podResourcesChanged(pod, actuated);
}
