import type { RuntimeContainerStatus, RuntimePodStatus, RuntimeSandboxStatus } from './runtime-status.ts';

/** The latest instance of the container of that name. */
export function newestContainerStatus(status: RuntimePodStatus, name: string): RuntimeContainerStatus | undefined {
  return status.containers.find((container) => container.name === name);
}

/** The sandbox that new containers go into: the newest one, if it is ready. */
export function activeSandbox(status: RuntimePodStatus): RuntimeSandboxStatus | undefined {
  const newest = status.sandboxes[0];
  return newest?.state === 'ready' ? newest : undefined;
}

/** The instances in the active sandbox, newest first. What remains of earlier sandboxes does not tell how the pod is now. */
export function activeContainerStatuses(status: RuntimePodStatus): readonly RuntimeContainerStatus[] {
  const sandbox = activeSandbox(status);
  return sandbox === undefined ? [] : status.containers.filter(({ sandboxId }) => sandboxId === sandbox.id);
}
