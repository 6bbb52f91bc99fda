import type { Pod } from '@rxlet/kube-api';
import { newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model';
import { type ActuatedResources, containerResize, podResourcesChanged } from '../compute/container-resize.ts';

/** Whether a running container, or the pod as a whole, does not have the resources yet that it is to have (condition `PodResizeInProgress`). */
export function podResizeInProgress(pod: Pod, status: RuntimePodStatus, actuated: ActuatedResources): boolean {
  const containers = [...(pod.spec!.initContainers ?? []), ...pod.spec!.containers];
  const running = containers.filter(({ name }) => newestContainerStatus(status, name)?.state === 'running');
  if (running.some((container) => containerResize(pod, container, actuated) !== undefined)) return true;
  return status.sandboxes.length > 0 && podResourcesChanged(pod, actuated);
}
