import { errorMessage } from '@rxlet/component-base';
import { containerFieldPath, podEventObject } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { killContainer, type KillContainerPorts } from '../kill/kill-container.ts';
import type { StartContainerRequest } from './start-container-request.ts';
import { StepFailure } from './step-failure.ts';

/** Ports of {@link runPostStart}. */
export type PostStartPorts = KillContainerPorts & Pick<Context, 'stopping'>;

/**
 * Runs the postStart hook of a started container, if it has one. Until the hook has finished, no other container of the pod is started. A container whose hook
 * fails is killed.
 * @throws StepFailure
 */
export async function runPostStart(
  ports: PostStartPorts,
  request: StartContainerRequest,
  containerId: string,
): Promise<void> {
  const { pod, container, signal } = request;
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return;
  signal?.throwIfAborted();
  try {
    if (ports.hooks === undefined) throw new Error('this agent runs no lifecycle hooks');
    await ports.hooks.postStart({ pod, container: container.name, containerId, handler, signal });
  } catch (error) {
    // An aborted hook is not a failure of the container.
    signal?.throwIfAborted();
    const object = podEventObject(pod, containerFieldPath(request.kind, container.name));
    ports.events.event(object, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    await killAfterFailedHook(ports, request, containerId);
    throw new StepFailure('PostStartHookError', errorMessage(error), { cause: error });
  }
}

async function killAfterFailedHook(
  ports: PostStartPorts,
  request: StartContainerRequest,
  containerId: string,
): Promise<void> {
  const { pod, container, status } = request;
  try {
    await killContainer(ports, {
      pod,
      identity: status,
      container: { id: containerId, name: container.name },
      message: 'FailedPostStartHook',
      signal: ports.stopping,
    });
  } catch (error) {
    ports.logger.error('cannot kill a container whose postStart hook failed', {
      containerId,
      error: errorMessage(error),
    });
  }
}
