import type { RuntimePod } from '@rxlet/pod-model/runtime';

/** Reports whether a sandbox or container of a pod runs in the runtime, or may run. Dead containers and sandboxes are left to garbage collection. */
export function mayRun({ containers, sandboxes }: RuntimePod): boolean {
  return (
    containers.some(({ state }) => state === 'running' || state === 'unknown') ||
    sandboxes.some(({ state }) => state === 'ready')
  );
}
