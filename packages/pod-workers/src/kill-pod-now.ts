import { type Clock, DeadlineExceededError, withDeadline } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { podEventObject, podUid } from '@rxlet/pod-model';
import type { TerminationRequest } from './termination-request.ts';
import type { PodWorkers } from './pod-workers.ts';

/** Ports of {@link killPodNow}. */
export interface KillPodPorts {
  readonly workers: Pick<PodWorkers, 'terminate'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** The containers of a pod did not stop in time. Its worker continues to stop them. */
export class PodKillTimeoutError extends Error {
  override readonly name = 'PodKillTimeoutError';
  readonly reason = 'ExceededGracePeriod';
  /** Time waited. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options?: ErrorOptions) {
    super('timeout waiting to kill pod', options);
    this.timeoutMs = timeoutMs;
  }
}

const MIN_TIMEOUT_SECONDS = 10;

/**
 * Terminates a pod and waits until none of its containers runs, as eviction, preemption and node shutdown need it. Waits for at most one and a half of
 * the request's grace period, or else the spec's, and at least ten seconds (kubelet: killPodNow).
 *
 * @throws PodKillTimeoutError after that time, with an event ExceededGracePeriod. The pod's worker continues to stop it.
 * @throws the reason of the workers' disposal, or of `signal`.
 */
export async function killPodNow(
  { workers, clock, events }: KillPodPorts,
  pod: Pod,
  request: TerminationRequest,
  signal?: AbortSignal,
): Promise<void> {
  const graceSeconds = request.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  const timeoutMs = Math.max(graceSeconds + Math.floor(graceSeconds / 2), MIN_TIMEOUT_SECONDS) * 1000;
  try {
    await withDeadline(clock, timeoutMs, signal, () => workers.terminate(podUid(pod), request));
  } catch (error) {
    if (!(error instanceof DeadlineExceededError)) throw error;
    const message = 'Container runtime did not kill the pod within specified grace period.';
    events.event(podEventObject(pod), 'Warning', 'ExceededGracePeriod', message);
    throw new PodKillTimeoutError(timeoutMs, { cause: error });
  }
}
