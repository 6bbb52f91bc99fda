import {
  type Clock,
  createDeadlineQueue,
  errorMessage,
  type EventRecorder,
  type Lifetime,
  type Logger,
  type Random,
} from '@rxlet/component-base';
import { podEventObject, type RuntimePodStatus } from '@rxlet/pod-model';
import type { PodSyncer } from './pod-syncer.ts';
import type { PodWorkerMetrics } from './pod-worker-metrics.ts';
import type { PodWorkerState } from './pod-worker-state.ts';
import { readRetryHint, resyncDelayMs, retryDelayMs, type StepDelays } from './retry-delay.ts';
import { mergePending, type PendingStep, type RunningStep, type StepCause, type Worker } from './worker.ts';

/** The status of pods in the runtime, ordered by when they were read. The status cache of `@rxlet/pleg` is one. */
export interface RuntimeStatusSource {
  /** A mark for now, on a counter that grows: a read that starts from here on is newer. */
  mark(): number;
  /** The status of a pod by a read that started after `mark` (0: any); waits for one. */
  getNewerThan(uid: string, mark: number, signal?: AbortSignal): Promise<RuntimePodStatus>;
}

/** What the steps need. */
export interface StepRunnerPorts {
  readonly syncer: PodSyncer;
  readonly statuses: RuntimeStatusSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: PodWorkerMetrics;
  /** Waits for running steps; when it ends, they are cancelled and no other begins. */
  readonly lifetime: Lifetime;
  /** The worker's life, if it is still the one of its UID. */
  readonly find: (uid: string) => Worker | undefined;
  /** The work of `state` is done for the worker, whose state may be another one by now. */
  readonly done: (worker: Worker, state: PodWorkerState) => void;
}

/** Runs the steps of all workers: one at a time for each, at its time, until nothing is left to do. */
export interface StepRunner {
  /** Has a step run: at once, after the running one, or when the worker's wait is over. */
  wake(worker: Worker, cause: StepCause): void;
  /** Tells the running step, if any, to stop. What has to follow it is to be said by {@link StepRunner.wake}. */
  cancel(worker: Worker, reason: Error): void;
}

/** A step that has not ended for this long after it was cancelled is told of, again and again. */
const OVERDUE_AFTER_MS = 60_000;

/** Creates the runner. Its only timer is that of one queue: when each worker's next step is due, or its cancelled one overdue. */
export function createStepRunner(ports: StepRunnerPorts, delays: StepDelays): StepRunner {
  const { syncer, statuses, clock, random, events, logger, metrics, lifetime, find, done } = ports;

  const wakeUps = createDeadlineQueue<string>(clock, (uid) => {
    const worker = find(uid);
    if (worker?.step !== undefined) tellOverdue(worker, worker.step);
    else if (worker !== undefined) wake(worker, 'sync');
  });
  lifetime.defer(() => wakeUps[Symbol.dispose]());

  const wake = (worker: Worker, cause: StepCause): void => {
    if (lifetime.signal.aborted || worker.state.kind === 'finished') return;
    worker.pending = mergePending(worker.pending, cause, clock.monotonicNow());
    if (worker.step === undefined && worker.state.kind !== 'waiting') begin(worker, worker.pending);
  };

  const begin = (worker: Worker, answers: PendingStep): void => {
    if (worker.nextStepMs !== undefined) wakeUps.delete(worker.uid);
    worker.nextStepMs = undefined;
    worker.pending = undefined;
    const controller = new AbortController();
    worker.step = { answers, sinceMs: clock.monotonicNow(), controller, cancelledMs: undefined };
    void lifetime.track(run(worker, worker.step));
  };

  const run = async (worker: Worker, step: RunningStep): Promise<void> => {
    let { state } = worker;
    let failure: { readonly error: unknown } | undefined;
    let completed = false;
    try {
      const status = await readStatus(worker, step.controller.signal);
      state = worker.state;
      completed = await call(worker, state, status, step.controller.signal);
    } catch (error) {
      failure = { error };
    }
    worker.step = undefined;
    if (step.cancelledMs !== undefined) wakeUps.delete(worker.uid);
    const nowMs = clock.monotonicNow();
    metrics.stepEnded(state, step.answers.cause, nowMs - step.answers.sinceMs);
    if (completed) done(worker, state);
    if (lifetime.signal.aborted || worker.state.kind === 'finished') return;

    if (failure === undefined) worker.lastError = undefined;
    else if (step.cancelledMs === undefined) worker.lastError = errorMessage(failure.error);
    if (worker.pending !== undefined || worker.state.kind !== state.kind) {
      begin(worker, worker.pending ?? { cause: 'sync', sinceMs: nowMs });
      return;
    }
    const delayMs = failure === undefined ? resyncDelayMs(delays, random) : afterFailure(worker, failure.error);
    worker.nextStepMs = nowMs + delayMs;
    wakeUps.set(worker.uid, delayMs);
  };

  /** @returns whether the work of the state is done */
  const call = async (
    worker: Worker,
    state: PodWorkerState,
    status: RuntimePodStatus,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { subject } = worker;
    if (state.kind === 'terminating' && worker.endedEarlier && !mayRun(status)) return true;
    try {
      switch (state.kind) {
        case 'waiting':
        case 'finished':
          return false;
        case 'syncing': {
          // Who begins with what the runtime holds is terminating from the first moment.
          if (subject.kind === 'runtime') return false;
          if (worker.seenMs !== undefined)
            metrics.podStarted(clock.monotonicNow() - worker.seenMs, subject.pod.spec?.containers.length ?? 0);
          worker.seenMs = undefined;
          return (await syncer.syncPod({ pod: subject.pod, status, signal })).completed;
        }
        case 'terminating': {
          worker.endedEarlier = false;
          const { reason, gracePeriodSeconds } = state;
          const amendStatus: NonNullable<Worker['amendStatus']> = (of) => worker.amendStatus?.(of) ?? of;
          await syncer.syncTerminatingPod({ subject, status, reason, gracePeriodSeconds, amendStatus, signal });
          return true;
        }
        case 'terminated':
          await syncer.syncTerminatedPod({ subject, status, removeContent: state.deleted || state.evicted, signal });
          return true;
      }
    } finally {
      // Only a call can have changed something that the next step's status has to show.
      worker.mark = statuses.mark();
    }
  };

  const readStatus = async (worker: Worker, signal: AbortSignal): Promise<RuntimePodStatus> => {
    try {
      const status = await statuses.getNewerThan(worker.uid, worker.mark, signal);
      // A source that does not heed the signal must not let a step begin that is cancelled already.
      signal.throwIfAborted();
      return status;
    } catch (error) {
      if (!signal.aborted && worker.subject.kind === 'pod') {
        const message = `error determining status: ${errorMessage(error)}`;
        events.event(podEventObject(worker.subject.pod), 'Warning', 'FailedSync', message);
      }
      throw error;
    }
  };

  const about = ({ uid, fullName, state }: Worker) => ({ podUid: uid, pod: fullName, state: state.kind });

  const afterFailure = (worker: Worker, error: unknown): number => {
    const hint = readRetryHint(error);
    // A back-off is no news; what may pass soon concerns every pod each second, and whoever found it has told of it.
    if (hint.transient === true || hint.backoffUntilMs === undefined) {
      const log = hint.transient === true ? logger.debug : logger.warn;
      log('a step for a pod failed and will be tried again', { ...about(worker), error: errorMessage(error) });
    }
    return retryDelayMs(hint, delays, clock.now(), random);
  };

  const tellOverdue = (worker: Worker, step: RunningStep): void => {
    const ageMs = clock.monotonicNow() - (step.cancelledMs ?? step.sinceMs);
    logger.warn('a step for a pod has been cancelled but does not end; its pod waits for it', {
      ...about(worker),
      cancelledForMs: ageMs,
    });
    wakeUps.set(worker.uid, OVERDUE_AFTER_MS);
  };

  return {
    wake,
    cancel({ uid, step }, reason) {
      if (step === undefined || step.cancelledMs !== undefined) return;
      step.cancelledMs = clock.monotonicNow();
      wakeUps.set(uid, OVERDUE_AFTER_MS);
      step.controller.abort(reason);
    },
  };
}

/** Whether the runtime holds anything of the pod that runs or could. */
function mayRun({ containers, sandboxes }: RuntimePodStatus): boolean {
  return (
    containers.some(({ state }) => state === 'running' || state === 'unknown') ||
    sandboxes.some(({ state }) => state === 'ready')
  );
}
