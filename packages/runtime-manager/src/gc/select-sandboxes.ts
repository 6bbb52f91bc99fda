import type { RuntimePod, RuntimeSandbox } from '@rxlet/pod-model';

/**
 * Chooses the sandboxes to remove: those that are not ready and hold no container, save the newest one of a pod that is still wanted, since the number of
 * the next one follows from it.
 */
export function selectDeadSandboxes(pods: readonly RuntimePod[], isGone: (uid: string) => boolean): RuntimeSandbox[] {
  return pods.flatMap((pod) => {
    const inUse = new Set(pod.containers.map(({ sandboxId }) => sandboxId));
    const eligible = isGone(pod.uid) ? pod.sandboxes : pod.sandboxes.slice(1);
    return eligible.filter(({ id, state }) => state !== 'ready' && !inUse.has(id));
  });
}
