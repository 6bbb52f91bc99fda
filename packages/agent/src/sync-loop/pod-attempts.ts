import { type Clock, createBackoff, createDeadlineQueue, errorMessage, type Logger } from '@rxlet/component-base';
import { failedOutcome, type Journal } from '@rxlet/agent-api/journal';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podEventObject, podUid } from '@rxlet/pod-model';

/** Ports of {@link createPodAttempts}. */
export interface PodAttemptsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly journal: Journal;
  /** Handles the latest version of a pod again, or forgets a pod that is gone. */
  retry(podUid: string): void;
  /** Reports whether the handling of a pod is complete. A pod that waits for its admission may still fail. */
  isSettled(podUid: string): boolean;
}

/**
 * Handling of pods that is retried with back-off when it throws. Each new error is an event of the pod. A failing pod delays no other. Bounded by the number of pods.
 */
export interface PodAttempts extends Disposable {
  /** Runs the handling of a pod. */
  run(pod: Pod, work: () => void): void;
  /** Reports whether a pod waits for its next attempt. */
  has(podUid: string): boolean;
  /** Forgets a pod that needs no further attempt. */
  forget(podUid: string): void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Creates {@link PodAttempts}. */
export function createPodAttempts({ clock, logger, events, journal, retry, isSettled }: PodAttemptsPorts): PodAttempts {
  const backoff = createBackoff({ initialMs: FIRST_DELAY_MS, maxMs: MAX_DELAY_MS });
  /** Last reported error of each pod that is not settled. */
  const failures = new Map<string, string>();
  const waiting = new Map<string, Pod>();
  const queue = createDeadlineQueue<string>(clock, (uid) => {
    const pod = waiting.get(uid);
    waiting.delete(uid);
    if (pod !== undefined) run(pod, () => retry(uid));
  });
  const cancel = (uid: string): void => {
    if (waiting.delete(uid)) queue.delete(uid);
  };
  const forget = (uid: string): void => {
    cancel(uid);
    if (failures.delete(uid)) backoff.reset(uid);
  };
  const report = (pod: Pod, error: string): void => {
    logger.error('cannot handle a pod, will retry', { pod: formatPod(pod), error });
    try {
      events.event(podEventObject(pod), 'Warning', 'FailedSync', `error handling pod, will be retried: ${error}`);
    } catch (failure) {
      logger.error('cannot record an event', { pod: formatPod(pod), error: errorMessage(failure) });
    }
  };
  const run = (pod: Pod, work: () => void): void => {
    const uid = podUid(pod);
    try {
      work();
      journal.release(pod.metadata, { kind: 'pod.retry' });
      if (isSettled(uid)) forget(uid);
      else cancel(uid);
    } catch (failure) {
      const error = errorMessage(failure);
      if (failures.get(uid) !== error) report(pod, error);
      failures.set(uid, error);
      waiting.set(uid, pod);
      const delayMs = backoff.next(uid, clock.monotonicNow());
      queue.set(uid, delayMs);
      const { result: _, ...problem } = failedOutcome(failure);
      const attributes = { ...problem, untilMs: Math.round(clock.now() + delayMs) };
      journal.hold(pod.metadata, { kind: 'pod.retry', attributes });
    }
  };
  return {
    run,
    has: (uid) => waiting.has(uid),
    forget,
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };
}
