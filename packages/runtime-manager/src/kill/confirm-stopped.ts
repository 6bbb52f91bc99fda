import { ContainerState, isNotFound, PodSandboxState, type RuntimeService } from '@rxlet/cri-api';

/*
 * Checks for `confirmOutcome`, after a stop or removal with an unknown outcome. Each resolves to `true` when the call has taken effect, and to `undefined` when
 * it has not.
 */

/** Confirms that a container has exited or no longer exists. */
export function confirmContainerStopped(
  runtime: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    return status?.state !== ContainerState.CONTAINER_EXITED;
  });
}

/** Confirms that a container no longer exists. */
export function confirmContainerRemoved(
  runtime: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    await runtime.containerStatus({ containerId }, { signal });
    return true;
  });
}

/** Confirms that a sandbox is not ready or no longer exists. */
export function confirmSandboxStopped(
  runtime: Pick<RuntimeService, 'podSandboxStatus'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    const { status } = await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return status?.state !== PodSandboxState.SANDBOX_NOTREADY;
  });
}

/** Confirms that a sandbox no longer exists. */
export function confirmSandboxRemoved(
  runtime: Pick<RuntimeService, 'podSandboxStatus'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return true;
  });
}

/** Resolves to `true` when the object does not exist or the condition does not hold. */
async function trueUnless(condition: () => Promise<boolean>): Promise<true | undefined> {
  try {
    return (await condition()) ? undefined : true;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
