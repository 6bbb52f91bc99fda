import type { RuntimeContainerStatus, RuntimePod, RuntimePodStatus, RuntimeSandboxStatus } from './runtime-status.ts';

/** Returns the newest instance of a container. */
export function newestContainerStatus(status: RuntimePodStatus, name: string): RuntimeContainerStatus | undefined {
  return status.containers.find((container) => container.name === name);
}

/** Returns the sandbox for new containers: the newest one, if it is ready. */
export function activeSandbox(status: RuntimePodStatus): RuntimeSandboxStatus | undefined {
  const newest = status.sandboxes[0];
  return newest?.state === 'ready' ? newest : undefined;
}

/** Returns the instances in the active sandbox, newest first. Containers of earlier sandboxes are not part of the pod's current state. */
export function activeContainerStatuses(status: RuntimePodStatus): readonly RuntimeContainerStatus[] {
  const sandbox = activeSandbox(status);
  return sandbox === undefined ? [] : status.containers.filter(({ sandboxId }) => sandboxId === sandbox.id);
}

/** Reports whether a container of a listed pod runs; not of a pod that the runtime does not have. */
export function hasRunningContainer(pod: RuntimePod | undefined): boolean {
  return pod?.containers.some(({ state }) => state === 'running') === true;
}
