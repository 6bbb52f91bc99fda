import type { RuntimePod, RuntimeSandbox } from '@rxlet/pod-model/runtime';

/**
 * Selects the sandboxes of a pod to remove, the oldest first: those that are not ready and have no containers. The newest sandbox of a pod that is not
 * removable is kept, because the next attempt number is derived from it.
 */
export function selectDeadSandboxes(pod: RuntimePod, isRemovable: (uid: string) => boolean): RuntimeSandbox[] {
  const inUse = new Set(pod.containers.map(({ sandboxId }) => sandboxId));
  const oldestFirst = pod.sandboxes.toReversed();
  const eligible = isRemovable(pod.uid) ? oldestFirst : oldestFirst.slice(0, -1);
  return eligible.filter(({ id, state }) => state !== 'ready' && !inUse.has(id));
}
