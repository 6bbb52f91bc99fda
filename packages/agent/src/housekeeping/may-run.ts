import type { RuntimePod } from '@rxlet/pod-model/runtime';

/** Reports whether a container of a pod runs in the runtime, or may run. */
export function hasRunningContainer(pod: RuntimePod | undefined): boolean {
  return pod?.containers.some(({ state }) => state === 'running' || state === 'unknown') ?? false;
}

/** Reports whether a sandbox or container of a pod runs in the runtime, or may run; not of a pod that the runtime does not have. Dead containers and sandboxes are left to garbage collection. */
export function mayRun(pod: RuntimePod | undefined): boolean {
  return hasRunningContainer(pod) || (pod?.sandboxes.some(({ state }) => state === 'ready') ?? false);
}
