import { errorMessage } from '@rxlet/component-base';
import { containerFieldPath, podEventObject } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { killContainer } from '../kill/kill-container.ts';
import type { StartContainerRequest } from './start-container.ts';
import { StepFailure } from './step-failure.ts';

/**
 * Runs the postStart hook of a container that has just started, if it has one. Until the hook has ended, nothing else of the pod is started; a
 * container whose hook fails is stopped again.
 * @throws StepFailure
 */
export async function runPostStart(
  context: Context,
  request: StartContainerRequest,
  containerId: string,
): Promise<void> {
  const { pod, container, signal } = request;
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return;
  signal?.throwIfAborted();
  try {
    if (context.hooks === undefined) throw new Error('no port for lifecycle hooks was given');
    await context.hooks.postStart({ pod, container: container.name, containerId, handler, signal });
  } catch (error) {
    // With the agent on its way out, that the hook was cut short says nothing about the container.
    signal?.throwIfAborted();
    const object = podEventObject(pod, containerFieldPath(request.kind, container.name));
    context.events.event(object, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    await stopAgain(context, request, containerId);
    throw new StepFailure('PostStartHookError', errorMessage(error), { cause: error });
  }
}

async function stopAgain(context: Context, request: StartContainerRequest, containerId: string): Promise<void> {
  const { pod, container, status, signal } = request;
  try {
    await killContainer(context, {
      pod,
      identity: status,
      container: { id: containerId, name: container.name },
      message: 'FailedPostStartHook',
      signal,
    });
  } catch (error) {
    context.logger.error('cannot kill a container whose postStart hook failed', {
      containerId,
      error: errorMessage(error),
    });
  }
}
