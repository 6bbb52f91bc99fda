import { ContainerState, isNotFound, PodSandboxState, type RuntimeService } from '@rxlet/cri-api';

/*
 * What is asked of the runtime after a call for the end of something was not answered. Each answers `true` when the call did its work, and `undefined` when
 * it did not, or not yet.
 */

/** Whether a container does not run: it has ended, or the runtime knows it no more. */
export function isContainerStopped(
  runtime: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    return status?.state !== ContainerState.CONTAINER_EXITED;
  });
}

/** Whether the runtime knows a container no more. */
export function isContainerGone(
  runtime: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    await runtime.containerStatus({ containerId }, { signal });
    return true;
  });
}

/** Whether a sandbox is not ready, or the runtime knows it no more. */
export function isSandboxStopped(
  runtime: Pick<RuntimeService, 'podSandboxStatus'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    const { status } = await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return status?.state !== PodSandboxState.SANDBOX_NOTREADY;
  });
}

/** Whether the runtime knows a sandbox no more. */
export function isSandboxGone(
  runtime: Pick<RuntimeService, 'podSandboxStatus'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<true | undefined> {
  return trueUnless(async () => {
    await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return true;
  });
}

/** What does not exist neither runs nor is there. */
async function trueUnless(stillThere: () => Promise<boolean>): Promise<true | undefined> {
  try {
    return (await stillThere()) ? undefined : true;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
