import {
  type Clock,
  createDeadlineQueue,
  errorMessage,
  type Lifetime,
  type Logger,
  type Random,
} from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { podEventObject } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { PodSyncer, SyncOutcome } from './pod-syncer.ts';
import type { PodWorkerMetrics } from './pod-worker-metrics.ts';
import type { PodWorkerState } from './pod-worker-state.ts';
import { readRetryHint, resyncDelayMs, retryDelayMs, type StepDelays } from './retry-delay.ts';
import {
  keepsContainers,
  mergePending,
  type PendingStep,
  type RunningStep,
  type StepCause,
  type Worker,
} from './worker.ts';

/** Runtime statuses of pods, ordered by when they were read, such as the status cache of `@rxlet/pleg`. */
export interface RuntimeStatusSource {
  /** Returns a mark for now, on a growing counter: a read that starts later is newer. */
  mark(): number;
  /** Returns the status of a pod by a read that started after `mark` (0: any); waits for one. */
  getNewerThan(uid: string, mark: number, signal?: AbortSignal): Promise<RuntimePodStatus>;
}

/** Observes the retries of failed steps. Its calls must neither throw nor wait. */
export interface RetryObserver {
  /** Called when a step has failed. `untilMs` is the time of the retry, in epoch milliseconds, unless one is requested earlier. */
  retryScheduled(podUid: string, error: unknown, untilMs: number): void;
  /** Called when a step has succeeded. */
  stepSucceeded(podUid: string): void;
}

/** Ports of {@link createStepRunner}. */
export interface StepRunnerPorts {
  readonly syncer: PodSyncer;
  readonly statuses: RuntimeStatusSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: PodWorkerMetrics;
  readonly retries: RetryObserver | undefined;
  /** Tracks running steps; when it ends, they are cancelled and no other begins. */
  readonly lifetime: Lifetime;
  /** Returns the current worker of a UID. */
  readonly find: (uid: string) => Worker | undefined;
  /** Called when the work of `state` is done; the worker's state may be another one by now. */
  readonly done: (worker: Worker, state: PodWorkerState) => void;
}

/** Runs the steps of all workers, one at a time for each, until no work is left. */
export interface StepRunner {
  /** Requests a step: at once, after the running one, or when the worker no longer waits. */
  request(worker: Worker, cause: StepCause): void;
  /** Cancels the running step, if there is one. {@link StepRunner.request} requests the one that follows. */
  cancel(worker: Worker, reason: Error): void;
}

/** A cancelled step that still runs is logged each time this period passes. */
const OVERDUE_AFTER_MS = 60_000;

/** Creates the runner. It has one timer for all workers: when a next step is due, or a cancelled one overdue. */
export function createStepRunner(ports: StepRunnerPorts, delays: StepDelays): StepRunner {
  const { syncer, statuses, clock, random, events, logger, metrics, lifetime, retries, find, done } = ports;

  const dueSteps = createDeadlineQueue<string>(clock, (uid) => {
    const worker = find(uid);
    if (worker?.step !== undefined) logOverdue(worker, worker.step);
    else if (worker !== undefined) request(worker, 'sync');
  });
  lifetime.defer(() => dueSteps[Symbol.dispose]());

  const request = (worker: Worker, cause: StepCause): void => {
    if (lifetime.signal.aborted || worker.state.kind === 'finished') return;
    worker.pending = mergePending(worker.pending, cause, clock.monotonicNow());
    if (worker.step === undefined && worker.state.kind !== 'waiting') begin(worker, worker.pending);
  };

  const begin = (worker: Worker, answers: PendingStep): void => {
    if (worker.nextStepMs !== undefined) dueSteps.delete(worker.uid);
    worker.nextStepMs = undefined;
    worker.pending = undefined;
    const controller = new AbortController();
    worker.step = { answers, sinceMs: clock.monotonicNow(), controller, isStopping: false, cancelledMs: undefined };
    void lifetime.track(run(worker, worker.step));
  };

  const run = async (worker: Worker, step: RunningStep): Promise<void> => {
    let { state } = worker;
    let outcome: SyncOutcome;
    try {
      const status = await readStatus(worker, step.controller.signal);
      state = worker.state;
      outcome = await call(worker, state, status, step.controller.signal).catch(failed);
    } catch (error) {
      outcome = { ...failed(error), unchanged: true };
    }
    const { completed, unchanged = false, error } = outcome;
    // The next step's status must show what this one changed.
    if (!unchanged) worker.mark = statuses.mark();
    worker.step = undefined;
    if (step.cancelledMs !== undefined) dueSteps.delete(worker.uid);
    const nowMs = clock.monotonicNow();
    metrics.stepEnded(state, step.answers.cause, nowMs - step.answers.sinceMs);
    if (completed) done(worker, state);
    if (lifetime.signal.aborted || worker.state.kind === 'finished') return;

    if (error === undefined || step.cancelledMs === undefined) {
      worker.lastError = error === undefined ? undefined : errorMessage(error);
      worker.failing = error !== undefined && readRetryHint(error).backoffUntilMs === undefined;
    }
    if (worker.pending !== undefined || worker.state.kind !== state.kind) {
      begin(worker, worker.pending ?? { cause: 'sync', sinceMs: nowMs });
      return;
    }
    const delayMs = error === undefined ? resyncDelayMs(delays, random) : afterFailure(worker, error);
    if (error === undefined) retries?.stepSucceeded(worker.uid);
    else retries?.retryScheduled(worker.uid, error, clock.now() + delayMs);
    worker.nextStepMs = nowMs + delayMs;
    dueSteps.set(worker.uid, delayMs);
  };

  /** Runs the step of a state. `completed`: it is done. */
  const call = async (
    worker: Worker,
    state: PodWorkerState,
    status: RuntimePodStatus,
    signal: AbortSignal,
  ): Promise<SyncOutcome> => {
    const { subject } = worker;
    switch (state.kind) {
      case 'waiting':
      case 'finished':
        return { completed: false, unchanged: true };
      case 'syncing':
        // A pod found in the runtime is terminating from its first state on.
        if (subject.kind === 'runtime') return { completed: false, unchanged: true };
        if (worker.seenMs !== undefined)
          metrics.podStarted(clock.monotonicNow() - worker.seenMs, subject.pod.spec?.containers.length ?? 0);
        worker.seenMs = undefined;
        return syncer.syncPod({ pod: subject.pod, status, signal });
      case 'terminating': {
        if (worker.endedEarlier && !mayRun(status)) return { completed: true, unchanged: true };
        worker.endedEarlier = false;
        const { reason, gracePeriodSeconds } = state;
        const amendStatus: NonNullable<Worker['amendStatus']> = (of) => worker.amendStatus?.(of) ?? of;
        const runPreStop = !worker.cutShort;
        if (worker.step !== undefined) worker.step.isStopping = true;
        const request = { subject, status, reason, gracePeriodSeconds, runPreStop, amendStatus, signal };
        await syncer.syncTerminatingPod(request);
        return { completed: true };
      }
      case 'terminated':
        for (;;) {
          const isRemoved = state.deleted || state.evicted;
          const removeContent = isRemoved && !keepsContainers(worker);
          await syncer.syncTerminatedPod({ subject, status, removeContent, signal });
          // The successor for which they were kept may be gone by now.
          if (removeContent || !isRemoved || keepsContainers(worker)) return { completed: true };
        }
    }
  };

  const readStatus = async (worker: Worker, signal: AbortSignal): Promise<RuntimePodStatus> => {
    try {
      const status = await statuses.getNewerThan(worker.uid, worker.mark, signal);
      // A status source may ignore the signal; a cancelled step must not begin.
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
    // The syncer has reported a back-off by an event, and a transient cause concerns every pod each second.
    if (hint.transient === true || hint.backoffUntilMs === undefined) {
      const log = hint.transient === true ? logger.debug : logger.warn;
      log('pod step failed, will be retried', { ...about(worker), error: errorMessage(error) });
    }
    return retryDelayMs(hint, delays, clock.now(), random);
  };

  const logOverdue = (worker: Worker, step: RunningStep): void => {
    const ageMs = clock.monotonicNow() - (step.cancelledMs ?? step.sinceMs);
    logger.warn('cancelled pod step does not end, its pod waits', {
      ...about(worker),
      cancelledForMs: ageMs,
    });
    dueSteps.set(worker.uid, OVERDUE_AFTER_MS);
  };

  return {
    request,
    cancel({ uid, step }, reason) {
      if (step === undefined || step.cancelledMs !== undefined) return;
      step.cancelledMs = clock.monotonicNow();
      dueSteps.set(uid, OVERDUE_AFTER_MS);
      step.controller.abort(reason);
    },
  };
}

/** Outcome of a step that rejected: it may have changed anything. */
function failed(error: unknown): SyncOutcome {
  return { completed: false, error: error ?? new Error('the step rejected without an error') };
}

/** Reports whether a sandbox or container of the pod runs in the runtime, or may run. */
function mayRun({ containers, sandboxes }: RuntimePodStatus): boolean {
  return (
    containers.some(({ state }) => state === 'running' || state === 'unknown') ||
    sandboxes.some(({ state }) => state === 'ready')
  );
}
