import { errorMessage, sleep } from '@rxlet/component-base';
import { isNotFound } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { containerFieldPath, findPodContainer, formatPod, podEventObject, type PodIdentity } from '@rxlet/pod-model';
import type { KillReason } from '../compute/pod-actions.ts';
import type { Context } from '../context.ts';
import type { LifecycleHookRequest } from '../ports.ts';
import { callOrLook } from '../sync/unknown-outcome.ts';
import { gracePeriodSeconds, MINIMUM_GRACE_SECONDS } from './grace-period.ts';
import { isContainerStopped } from './look-at-runtime.ts';
import { restorePod } from './restore-pod.ts';
import type { TerminationOrder } from './termination-order.ts';

/** A container to stop. */
export interface KillContainerRequest {
  /** Absent: the pod's definition is gone, and what the container needs is read back from the runtime. */
  readonly pod: Pod | undefined;
  readonly identity: PodIdentity;
  readonly container: { readonly id: string; readonly name: string };
  /** Message of the `Killing` event; empty: that the container is being stopped. */
  readonly message?: string;
  readonly reason?: KillReason;
  /** Replaces the grace period that the pod defines, in seconds. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly order?: TerminationOrder;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stops a container: its preStop hook, its turn among the pod's other containers, then the runtime, which gets what is left of the grace period but
 * at least two seconds. A container that is gone already counts as stopped.
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
    if (handler !== undefined && graceSeconds > 0) {
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
 * Runs a preStop hook, but waits no longer than the grace period: then the hook is told to end, and not waited for, as the container that it speaks to goes. A
 * hook that fails, or is ended, does not keep its container alive.
 */
async function runPreStop(context: Context, hook: LifecycleHookRequest, maxSeconds: number): Promise<void> {
  const waited = new AbortController();
  const ended = hook.signal === undefined ? waited.signal : AbortSignal.any([waited.signal, hook.signal]);
  const timeout = sleep(context.clock, maxSeconds * 1000, ended);
  const run = async (): Promise<void> => {
    if (context.hooks === undefined) throw new Error('no port for lifecycle hooks was given');
    await context.hooks.preStop({ ...hook, signal: ended });
  };
  const reported = run().catch((error: unknown) => {
    if (hook.signal?.aborted !== true) reportPreStopFailure(context, hook, error);
  });
  try {
    await Promise.race([reported, timeout]);
  } finally {
    waited.abort(new Error('the grace period is over'));
    timeout.catch(() => undefined);
  }
  hook.signal?.throwIfAborted();
}

function reportPreStopFailure(context: Context, { pod, container }: LifecycleHookRequest, error: unknown): void {
  context.logger.warn('preStop hook failed', { pod: formatPod(pod), container, error: errorMessage(error) });
  const object = podEventObject(pod, fieldPath(pod, container));
  // What the hook said is not for everybody who may read events.
  context.events.event(object, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
}

/** Asks the runtime to stop a container; the call may take the grace period and what every call may take. */
export async function stopContainer(
  { runtime, requestTimeoutMs }: Context,
  containerId: string,
  graceSeconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const timeoutMs = graceSeconds * 1000 + requestTimeoutMs;
    await callOrLook<unknown>(
      () => runtime.stopContainer({ containerId, timeout: BigInt(graceSeconds) }, { signal, timeoutMs }),
      () => isContainerStopped(runtime, containerId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function fieldPath(pod: Pod, containerName: string): string | undefined {
  const found = findPodContainer(pod, containerName);
  return found === undefined ? undefined : containerFieldPath(found.kind, containerName);
}
