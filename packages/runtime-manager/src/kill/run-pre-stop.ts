import type { LifecycleHookRequest } from '@rxlet/agent-api/containers';
import { errorMessage, sleep } from '@rxlet/component-base';
import { containerFieldPath, findPodContainer, formatPod, podEventObject } from '@rxlet/pod-model';
import type { Context } from '../context.ts';

/** A preStop hook that was started. */
export interface StartedPreStop {
  /** Resolves when the hook has ended or the grace period has expired; rejects when the request's signal aborts. */
  readonly waited: Promise<void>;
  /** Ends the hook if it still runs. To be called when its container has stopped. */
  end(): void;
}

/** Ports of {@link startPreStop}. */
export type PreStopPorts = Pick<Context, 'hooks' | 'clock' | 'events' | 'logger'>;

/**
 * Starts a preStop hook. After the grace period its end is not awaited, and it runs on until its container has stopped, as in the kubelet. A hook that fails
 * does not keep the container running.
 */
export function startPreStop(ports: PreStopPorts, hook: LifecycleHookRequest, maxSeconds: number): StartedPreStop {
  const stopped = new AbortController();
  const signal = hook.signal === undefined ? stopped.signal : AbortSignal.any([stopped.signal, hook.signal]);
  const run = async (): Promise<void> => {
    if (ports.hooks === undefined) throw new Error('this agent runs no lifecycle hooks');
    await ports.hooks.preStop({ ...hook, signal });
  };
  const ended = run().catch((error: unknown) => {
    if (hook.signal?.aborted === true) return;
    // A command or a request fails with its container. A sleep has not failed: nothing waits for it any more.
    if (stopped.signal.aborted && hook.handler.sleep !== undefined) return;
    reportPreStopFailure(ports, hook, error);
  });
  return {
    waited: waitFor(ports, ended, hook.signal, maxSeconds),
    end: () => stopped.abort(new Error('the container has stopped')),
  };
}

/** Waits for the end of a hook, at most for the grace period. */
async function waitFor(
  { clock }: Pick<Context, 'clock'>,
  ended: Promise<void>,
  signal: AbortSignal | undefined,
  maxSeconds: number,
): Promise<void> {
  const waited = new AbortController();
  const either = signal === undefined ? waited.signal : AbortSignal.any([waited.signal, signal]);
  const timeout = sleep(clock, maxSeconds * 1000, either);
  try {
    await Promise.race([ended, timeout]);
  } finally {
    waited.abort();
    timeout.catch(() => undefined);
  }
  signal?.throwIfAborted();
}

function reportPreStopFailure(
  ports: Pick<Context, 'logger' | 'events'>,
  { pod, container }: LifecycleHookRequest,
  error: unknown,
): void {
  ports.logger.warn('preStop hook failed', { pod: formatPod(pod), container, error: errorMessage(error) });
  const found = findPodContainer(pod, container);
  const object = podEventObject(pod, found === undefined ? undefined : containerFieldPath(found.kind, container));
  // The hook's output may be confidential, and events have more readers than logs.
  ports.events.event(object, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
}
