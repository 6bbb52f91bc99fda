import type { RuntimePod, RuntimeSandbox } from '@rxlet/pod-model';

/**
 * Chooses the sandboxes to remove, the oldest of a pod first: those that are not ready and hold no container, save the newest one of a pod that is still
 * wanted, since the number of the next one follows from it.
 */
export function selectDeadSandboxes(pods: readonly RuntimePod[], isGone: (uid: string) => boolean): RuntimeSandbox[] {
  return pods.flatMap((pod) => {
    const inUse = new Set(pod.containers.map(({ sandboxId }) => sandboxId));
    const oldestFirst = pod.sandboxes.toReversed().sort((a, b) => compare(a.createdAtNanos, b.createdAtNanos));
    const eligible = isGone(pod.uid) ? oldestFirst : oldestFirst.slice(0, -1);
    return eligible.filter(({ id, state }) => state !== 'ready' && !inUse.has(id));
  });
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
