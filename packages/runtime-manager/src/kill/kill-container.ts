import type { LifecycleHookRequest } from '@rxlet/agent-api';
import { errorMessage, sleep } from '@rxlet/component-base';
import { isNotFound } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { containerFieldPath, findPodContainer, formatPod, podEventObject, type PodIdentity } from '@rxlet/pod-model';
import type { KillReason } from '../compute/pod-actions.ts';
import type { Context } from '../context.ts';
import { confirmOutcome } from '../sync/unknown-outcome.ts';
import { gracePeriodSeconds, MINIMUM_GRACE_SECONDS } from './grace-period.ts';
import { confirmContainerStopped } from './confirm-stopped.ts';
import { restorePod } from './restore-pod.ts';
import type { TerminationOrder } from './termination-order.ts';

/** A container to stop. */
export interface KillContainerRequest {
  /** Absent: the pod's definition is unknown; grace period and preStop hook come from the container's annotations. */
  readonly pod: Pod | undefined;
  readonly identity: PodIdentity;
  readonly container: { readonly id: string; readonly name: string };
  /** Message of the `Killing` event. Default: `Stopping container <name>`. */
  readonly message?: string;
  readonly reason?: KillReason;
  /** Replaces the grace period that the pod defines, in seconds. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Whether to run the preStop hook. Default true. */
  readonly runPreStop?: boolean;
  readonly order?: TerminationOrder;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stops a container: runs its preStop hook, waits for its turn among the pod's containers, then calls StopContainer with the rest of the grace period, at least
 * two seconds. A container that no longer exists counts as stopped.
 */
export async function killContainer(context: Context, request: KillContainerRequest): Promise<void> {
  const { container, identity, order, signal } = request;
  try {
    const known = request.pod !== undefined && findPodContainer(request.pod, container.name) !== undefined;
    const pod = known ? request.pod : await restorePod(context.runtime, identity, container, signal);
    if (pod === undefined) return;
    const eventObject = podEventObject(pod, fieldPath(pod, container.name));
    const message = request.message ?? '';
    context.events.event(
      eventObject,
      'Normal',
      'Killing',
      message === '' ? `Stopping container ${container.name}` : message,
    );

    let graceSeconds = request.gracePeriodSeconds ?? gracePeriodSeconds(pod, container.name, request.reason ?? '');
    const handler = findPodContainer(pod, container.name)?.container.lifecycle?.preStop;
    if (handler !== undefined && graceSeconds > 0 && request.runPreStop !== false) {
      const startMs = context.clock.monotonicNow();
      await runPreStop(
        context,
        { pod, container: container.name, containerId: container.id, handler, signal },
        graceSeconds,
      );
      graceSeconds -= Math.floor((context.clock.monotonicNow() - startMs) / 1000);
    }
    if (order !== undefined && graceSeconds > 0) {
      graceSeconds -= Math.floor((await order.waitForTurn(container.name, graceSeconds * 1000)) / 1000);
    }
    await stopContainer(context, container.id, Math.max(graceSeconds, MINIMUM_GRACE_SECONDS), signal);
  } finally {
    order?.ended(container.name);
  }
}

/**
 * Runs a preStop hook. After the grace period the hook is aborted, and its end is not awaited because the container is stopped. A failed or aborted hook does
 * not keep the container running.
 */
async function runPreStop(context: Context, hook: LifecycleHookRequest, maxSeconds: number): Promise<void> {
  const waited = new AbortController();
  const ended = hook.signal === undefined ? waited.signal : AbortSignal.any([waited.signal, hook.signal]);
  const timeout = sleep(context.clock, maxSeconds * 1000, ended);
  const run = async (): Promise<void> => {
    if (context.hooks === undefined) throw new Error('this agent runs no lifecycle hooks');
    await context.hooks.preStop({ ...hook, signal: ended });
  };
  const reported = run().catch((error: unknown) => {
    if (hook.signal?.aborted !== true) reportPreStopFailure(context, hook, error);
  });
  try {
    await Promise.race([reported, timeout]);
  } finally {
    waited.abort(new Error('the grace period has expired'));
    timeout.catch(() => undefined);
  }
  hook.signal?.throwIfAborted();
}

function reportPreStopFailure(context: Context, { pod, container }: LifecycleHookRequest, error: unknown): void {
  context.logger.warn('preStop hook failed', { pod: formatPod(pod), container, error: errorMessage(error) });
  const object = podEventObject(pod, fieldPath(pod, container));
  // The hook's output may be confidential, and events have more readers than logs.
  context.events.event(object, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
}

/** Stops a container by the runtime. The timeout of the call is the grace period plus the usual request timeout. */
export async function stopContainer(
  { runtime, requestTimeoutMs }: Context,
  containerId: string,
  graceSeconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const timeoutMs = graceSeconds * 1000 + requestTimeoutMs;
    await confirmOutcome<unknown>(
      () => runtime.stopContainer({ containerId, timeout: BigInt(graceSeconds) }, { signal, timeoutMs }),
      () => confirmContainerStopped(runtime, containerId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function fieldPath(pod: Pod, containerName: string): string | undefined {
  const found = findPodContainer(pod, containerName);
  return found === undefined ? undefined : containerFieldPath(found.kind, containerName);
}
