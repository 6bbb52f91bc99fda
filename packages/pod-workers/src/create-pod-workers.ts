import { type Clock, createLifetime, type Logger, noopLogger, onAbort, type Random } from '@rxlet/component-base';
import { type EventRecorder, noopEventRecorder } from '@rxlet/component-base/events';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod, podFullName } from '@rxlet/pod-model';
import { createFullNameQueue } from './full-name-queue.ts';
import { podOf, type PodSubject, demandedTermination } from './pod-subject.ts';
import type { PodSyncer } from './pod-syncer.ts';
import { createPodWorkerMetrics } from './pod-worker-metrics.ts';
import { couldHaveRunningContainers, isTerminationRequested, shouldContentBeRemoved } from './pod-worker-questions.ts';
import { createPodStates, type WritablePodStates } from './pod-states.ts';
import {
  afterCompletion,
  afterWaiting,
  initialState,
  type PodWorkerState,
  requestTermination,
} from './pod-worker-state.ts';
import type { TerminationReason } from './termination-reason.ts';
import type { TerminationRequest } from './termination-request.ts';
import type { PodWorkers, PodWorkerTransition } from './pod-workers.ts';
import { createStepRunner, type RetryObserver, type RuntimeStatusSource } from './step-runner.ts';
import { createWorker, keepsContainers, type StepCause, type Worker } from './worker.ts';

/** Ports of {@link createPodWorkers}. */
export interface PodWorkersPorts {
  readonly syncer: PodSyncer;
  readonly statuses: RuntimeStatusSource;
  /** Gets the pods and their states. Default: only the workers have them. */
  readonly states?: WritablePodStates;
  readonly clock: Clock;
  readonly random: Random;
  readonly events?: EventRecorder;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Default: none. */
  readonly retries?: RetryObserver;
}

/** Options of {@link createPodWorkers}. */
export interface PodWorkersOptions {
  /** Delay between two syncs of a pod without changes, spread over half as much again. Default one minute (`syncFrequency`). */
  readonly resyncIntervalMs?: number;
  /** Delay before a failed step is retried, spread over half as much again. Default ten seconds, as in the kubelet. */
  readonly retryDelayMs?: number;
  /** Delay before a retry when the cause may pass soon. Default one second, as in the kubelet while the network is not ready. */
  readonly transientRetryDelayMs?: number;
}

/**
 * Creates the workers. They do nothing until pods are added.
 *
 * @example
 * ```ts
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createPodWorkers, type PodSyncer, type RuntimeStatusSource } from '@rxlet/pod-workers';
 *
 * declare const syncer: PodSyncer;
 * declare const statuses: RuntimeStatusSource;
 * await using workers = createPodWorkers({ syncer, statuses, clock: systemClock, random: systemRandom });
 * workers.add({ metadata: { name: 'web', uid: '1' }, spec: { containers: [{ name: 'main' }] } });
 * await workers.terminate('1', { reason: 'deleted' });
 * ```
 */
export function createPodWorkers(ports: PodWorkersPorts, options: PodWorkersOptions = {}): PodWorkers {
  const { clock, events = noopEventRecorder, logger = noopLogger } = ports;
  const { resyncIntervalMs = 60_000, retryDelayMs = 10_000, transientRetryDelayMs = 1_000 } = options;
  const lifetime = createLifetime();
  const workers = new Map<string, Worker>();
  const states = ports.states ?? createPodStates(clock);
  const fullNames = createFullNameQueue();

  const metrics = createPodWorkerMetrics(ports.metrics ?? noopMetrics, () => {
    let sinceMs = clock.monotonicNow();
    const nowMs = sinceMs;
    for (const { step } of workers.values()) sinceMs = Math.min(sinceMs, step?.sinceMs ?? sinceMs);
    return nowMs - sinceMs;
  });
  const transitions = createEmitter<PodWorkerTransition>();
  lifetime.defer(() => transitions.complete());
  /** Emitted after all side effects of a transition, because a subscriber may trigger the next one. */
  const unemitted: PodWorkerTransition[] = [];
  let emitting = false;
  const emitAll = (): void => {
    if (emitting) return;
    emitting = true;
    for (; unemitted.length > 0; unemitted.shift()) transitions.emit(unemitted[0]!);
    emitting = false;
  };

  const runner = createStepRunner(
    {
      ...ports,
      retries: ports.retries,
      events,
      logger,
      metrics,
      lifetime,
      find: (uid) => workers.get(uid),
      done(worker, state) {
        // The state changed meanwhile, or the clean-up kept contents that must be removed by now.
        if (worker.state.kind !== state.kind) return;
        const mustRemove = shouldContentBeRemoved(worker.state) && !keepsContainers(worker);
        if (state.kind === 'terminated' && mustRemove && !shouldContentBeRemoved(state)) return;
        enter(worker, afterCompletion(worker.state, podOf(worker.subject), clock.now()));
      },
    },
    { resyncIntervalMs, retryDelayMs, transientRetryDelayMs },
  );

  onAbort(lifetime.signal, (reason) => {
    for (const worker of workers.values()) {
      worker.termination?.reject(reason);
      runner.cancel(worker, reason);
    }
  });

  const create = (subject: PodSubject, uid: string, mark = 0): void => {
    const worker = createWorker(uid, subject, initialState(subject, true, clock.now()), mark, clock.monotonicNow());
    // Static pods hold their full name one at a time; a pod found in the runtime holds it already.
    if (subject.kind === 'runtime') fullNames.occupy(worker.fullName, uid);
    else if (isStaticPod(subject.pod) && !fullNames.join(worker.fullName, uid))
      worker.state = initialState(subject, false, clock.now());
    workers.set(uid, worker);
    states.add(worker);
    unemitted.push({ uid, subject, from: undefined, to: worker.state });
    if (worker.state.kind === 'finished') release(worker);
    runner.request(worker, 'create');
    emitAll();
  };

  const enter = (worker: Worker, state: PodWorkerState): void => {
    const from = worker.state;
    worker.state = state;
    if (state.kind === from.kind) return;
    unemitted.push({ uid: worker.uid, subject: worker.subject, from, to: state });
    if (!couldHaveRunningContainers(state)) worker.termination?.resolve();
    if (state.kind === 'finished') {
      release(worker);
      startSuccessor(worker);
    }
    emitAll();
  };

  /** Releases the full name and starts the pod that waited for it. */
  const release = (worker: Worker): void => {
    const next = workers.get(fullNames.leave(worker.fullName, worker.uid) ?? '');
    if (next?.state.kind !== 'waiting') return;
    enter(next, afterWaiting(next.state, clock.now()));
    runner.request(next, 'create');
  };

  const forget = (uid: string): void => {
    workers.delete(uid);
    states.delete(uid);
  };

  const startSuccessor = (worker: Worker): void => {
    const { uid, successor, mark } = worker;
    if (successor === undefined || workers.get(uid) !== worker) return;
    forget(uid);
    metrics.podRestarted(isStaticPod(successor));
    create({ kind: 'pod', pod: successor }, uid, mark);
  };

  /** @returns whether a step was requested. */
  const terminate = (worker: Worker, request: TerminationRequest): boolean => {
    if (request.amendStatus !== undefined) worker.amendStatus = request.amendStatus;
    const before = worker.state;
    const state = requestTermination(before, podOf(worker.subject), request, clock.now());
    if (state === before) return false;
    // A waiting pod that is found in the runtime holds its name.
    if (before.kind === 'waiting' && state.kind === 'terminating') fullNames.occupy(worker.fullName, worker.uid);
    enter(worker, state);
    if (before.kind === 'terminating') {
      // Stopping is the same for a pod that is deleted or evicted as well.
      if ('gracePeriodSeconds' in state && state.gracePeriodSeconds === before.gracePeriodSeconds) return false;
      if (NODE_REASONS.has(request.reason) && worker.step !== undefined) {
        worker.cutShort ||= worker.step.isStopping;
        runner.cancel(worker, new GracePeriodShortened());
      }
    } else if (state.kind === 'terminating') runner.cancel(worker, new PodTerminated());
    runner.request(worker, 'update');
    return true;
  };

  /** Requests a step when there is a `cause`. */
  const update = (pod: Pod, cause?: StepCause): void => {
    const uid = pod.metadata?.uid;
    if (uid === undefined || uid === '') throw new TypeError(`pod ${podFullName(pod)} has no UID`);
    if (lifetime.signal.aborted) return;
    const subject: PodSubject = { kind: 'pod', pod };
    const worker = workers.get(uid);
    if (worker === undefined) {
      if (cause !== undefined) create(subject, uid);
      return;
    }
    const end = demandedTermination(subject);
    if (isTerminationRequested(worker.state)) {
      const follows = cause === 'create' || worker.successor !== undefined;
      worker.successor = follows && end === undefined ? pod : undefined;
      if (worker.state.kind === 'finished') startSuccessor(worker);
      if (worker.state.kind === 'finished' || worker.successor !== undefined) return;
    }
    worker.subject = subject;
    if (end !== undefined && terminate(worker, end)) return;
    if (cause !== undefined) runner.request(worker, cause);
  };

  return {
    add: (pod) => update(pod, 'create'),
    update: (pod) => update(pod, 'update'),
    reconcile: (pod) => update(pod),
    sync(uid) {
      const worker = workers.get(uid);
      if (worker !== undefined) runner.request(worker, 'sync');
    },
    terminate(uid, request) {
      const worker = workers.get(uid);
      if (worker === undefined) return Promise.resolve();
      worker.successor = undefined;
      if (!lifetime.signal.aborted) terminate(worker, request);
      if (!couldHaveRunningContainers(worker.state)) return Promise.resolve();
      if (worker.termination === undefined) {
        worker.termination = Promise.withResolvers<void>();
        // Callers may ignore the promise.
        worker.termination.promise.catch(() => undefined);
        if (lifetime.signal.aborted) worker.termination.reject(lifetime.signal.reason);
      }
      return worker.termination.promise;
    },
    terminateRuntimePod(pod) {
      if (lifetime.signal.aborted) return;
      const subject: PodSubject = { kind: 'runtime', pod };
      const worker = workers.get(pod.uid);
      if (worker === undefined) {
        metrics.runtimePodOrphaned();
        create(subject, pod.uid);
        return;
      }
      terminate(worker, demandedTermination(subject)!);
    },
    retain(desired) {
      states.setPodsSynced();
      for (const worker of [...workers.values()]) {
        worker.orphan = !desired.has(worker.uid);
        if (!worker.orphan || lifetime.signal.aborted) continue;
        worker.successor = undefined;
        // An orphaned pod that failed to terminate is retried now, however long its own retry delay.
        if (!terminate(worker, { reason: 'deleted' }) && worker.step === undefined) runner.request(worker, 'sync');
        // Garbage collection removes what a forgotten pod left.
        if (worker.state.kind === 'finished') forget(worker.uid);
      }
      metrics.counted(workers.values());
    },
    podsSynced: states.podsSynced,
    state: states.state,
    keepsContainers(uid) {
      const worker = workers.get(uid);
      return worker !== undefined && keepsContainers(worker);
    },
    isFailing: (uid) => workers.get(uid)?.failing ?? false,
    states: states.states,
    inspect: states.inspect,
    transitions$: transitions.values$,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Reasons of the node itself, which cannot wait for a longer grace period that was granted before. */
const NODE_REASONS: ReadonlySet<TerminationReason> = new Set(['evicted', 'killed']);

/** Reason with which an attempt to stop a pod is aborted, because the next one has a shorter grace period. */
export class GracePeriodShortened extends Error {
  override readonly name = 'GracePeriodShortened';

  constructor() {
    super('the grace period was shortened');
  }
}

/** Reason with which a sync is aborted because its pod must terminate. */
export class PodTerminated extends Error {
  override readonly name = 'PodTerminated';

  constructor() {
    super('the pod is terminating');
  }
}
