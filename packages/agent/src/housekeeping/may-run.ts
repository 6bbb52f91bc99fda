import type { RuntimePod } from '@rxlet/pod-model/runtime';

/** Reports whether a sandbox or container of a pod runs in the runtime, or may run; not of a pod that the runtime does not have. Dead containers and sandboxes are left to garbage collection. */
export function mayRun(pod: RuntimePod | undefined): boolean {
  if (pod === undefined) return false;
  const { containers, sandboxes } = pod;
  return (
    containers.some(({ state }) => state === 'running' || state === 'unknown') ||
    sandboxes.some(({ state }) => state === 'ready')
  );
}
