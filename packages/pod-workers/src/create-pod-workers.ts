import {
  type Clock,
  createDeadlineQueue,
  createLifetime,
  errorMessage,
  type EventRecorder,
  jitter,
  type Logger,
  noopEventRecorder,
  noopLogger,
  type Random,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import {
  isStaticPod,
  isTerminalPhase,
  podEventObject,
  podFullName,
  type RuntimePod,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import { type Observable, Subject } from 'rxjs';
import { createFullNameQueue } from './full-name-queue.ts';
import type { PodSubject, PodSyncer, RetryHint } from './pod-syncer.ts';
import {
  afterCompletion,
  afterWaiting,
  isTerminationRequested,
  type PodWorkerState,
  requestTermination,
  type TerminationRequest,
} from './pod-worker-state.ts';

/** Where workers get the runtime's view of a pod from; the status cache of @rxlet/pleg is one. */
export interface RuntimeStatusSource {
  /** A mark for now. */
  mark(): number;
  /** The status by a read that started after `mark`. */
  getNewerThan(uid: string, mark: number, signal?: AbortSignal): Promise<RuntimePodStatus>;
}

/** What the workers need. */
export interface PodWorkersPorts {
  readonly syncer: PodSyncer;
  readonly statuses: RuntimeStatusSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly events?: EventRecorder;
  readonly logger?: Logger;
}

/** Options of {@link createPodWorkers}. */
export interface PodWorkersOptions {
  /** A pod that is in order is looked at again after this time, spread over half as much again. Default one minute (`syncFrequency`). */
  readonly resyncIntervalMs?: number;
  /** A failed step is tried again after this time, spread over half as much again. Default ten seconds, as the kubelet's. */
  readonly retryDelayMs?: number;
  /** The same where the cause may pass soon. Default one second, as the kubelet's while the network is not ready. */
  readonly transientRetryDelayMs?: number;
}

/** A pod entered another state. */
export interface PodWorkerTransition {
  readonly uid: string;
  readonly subject: PodSubject;
  readonly from: PodWorkerState | undefined;
  readonly to: PodWorkerState;
}

/** One serial worker per pod UID. */
export interface PodWorkers extends AsyncDisposable {
  /**
   * A pod is to run here. While a pod of the same UID still terminates, the new one starts when that has finished.
   * A static pod waits until its predecessor of the same full name has finished.
   */
  add(pod: Pod): void;
  /** A pod changed. One that is not known is added; one that terminates only learns of a shorter grace period. */
  update(pod: Pod): void;
  /** Something happened to a pod: its worker looks at it soon. Unknown UIDs are ignored. */
  sync(uid: string): void;
  /** A pod is to end. @returns a promise that resolves when no container of it runs any more. */
  terminate(uid: string, request: TerminationRequest): Promise<void>;
  /** What the runtime holds of a pod that no source knows is to end, with a grace period of a second. */
  terminateRuntimePod(pod: RuntimePod): void;
  /** Ends all pods whose UIDs are not in `desired` and forgets those of them that have finished. To be called only when all sources are ready. */
  retain(desired: ReadonlySet<string>): void;
  /** The state of a pod; `undefined` for one that is not known. */
  state(uid: string): PodWorkerState | undefined;
  /** The states of all known pods. */
  states(): ReadonlyMap<string, PodWorkerState>;
  /** Each change of state. Hot; {@link PodWorkers.states} has the current ones. Completes when disposed of. */
  readonly transitions$: Observable<PodWorkerTransition>;
}

interface Worker {
  readonly uid: string;
  subject: PodSubject;
  state: PodWorkerState;
  /** Set while a step runs. */
  step: AbortController | undefined;
  /** Something happened since the running step began. */
  dirty: boolean;
  /** When the last step ended, on the counter of the status source. */
  mark: number;
  /** A pod of the same UID that came while this one ends. */
  successor: Pod | undefined;
  readonly terminationWaiters: (() => void)[];
}

/** Creates workers. They do nothing until pods are handed in. */
export function createPodWorkers(ports: PodWorkersPorts, options: PodWorkersOptions = {}): PodWorkers {
  const { syncer, statuses, clock, random, events = noopEventRecorder, logger = noopLogger } = ports;
  const { resyncIntervalMs = 60_000, retryDelayMs = 10_000, transientRetryDelayMs = 1_000 } = options;
  const lifetime = createLifetime();
  const workers = new Map<string, Worker>();
  const fullNames = createFullNameQueue();
  const transitions = new Subject<PodWorkerTransition>();
  const wakeUps = createDeadlineQueue<string>(clock, (uid) => wake(workers.get(uid)));
  lifetime.defer(() => {
    wakeUps[Symbol.dispose]();
    transitions.complete();
  });

  const wake = (worker: Worker | undefined): void => {
    if (worker === undefined || lifetime.signal.aborted) return;
    if (worker.step !== undefined) {
      worker.dirty = true;
      return;
    }
    if (worker.state.kind === 'waiting' || worker.state.kind === 'finished') return;
    wakeUps.delete(worker.uid);
    worker.step = new AbortController();
    void lifetime.track(runStep(worker, worker.step));
  };

  const runStep = async (worker: Worker, step: AbortController): Promise<void> => {
    const stop = (): void => step.abort(lifetime.signal.reason);
    lifetime.signal.addEventListener('abort', stop, { once: true });
    worker.dirty = false;
    let nextMs: number;
    try {
      nextMs = (await doStep(worker, step.signal)) ? 0 : jitter(random, resyncIntervalMs, 0.5);
    } catch (error) {
      nextMs = step.signal.aborted ? 0 : retryDelay(worker, error);
    } finally {
      lifetime.signal.removeEventListener('abort', stop);
      worker.mark = statuses.mark();
      worker.step = undefined;
    }
    if (lifetime.signal.aborted || workers.get(worker.uid) !== worker) return;
    if (worker.dirty || nextMs === 0) wake(worker);
    else wakeUps.set(worker.uid, nextMs);
  };

  /** @returns whether the state moved on, so that there is more to do at once. */
  const doStep = async (worker: Worker, signal: AbortSignal): Promise<boolean> => {
    const status = await readStatus(worker, signal);
    const { subject, state } = worker;
    switch (state.kind) {
      case 'waiting':
      case 'finished':
        return false;
      case 'syncing': {
        if (subject.kind === 'runtime') return false;
        const { completed } = await syncer.syncPod({ pod: subject.pod, status, signal });
        return completed && complete(worker, state);
      }
      case 'terminating': {
        const { reason, gracePeriodSeconds } = state;
        await syncer.syncTerminatingPod({ subject, status, reason, gracePeriodSeconds, signal });
        return complete(worker, state);
      }
      case 'terminated':
        await syncer.syncTerminatedPod({ subject, status, removeContent: state.deleted || state.evicted, signal });
        return complete(worker, state);
    }
  };

  const readStatus = async (worker: Worker, signal: AbortSignal): Promise<RuntimePodStatus> => {
    try {
      return await statuses.getNewerThan(worker.uid, worker.mark, signal);
    } catch (error) {
      if (!signal.aborted && worker.subject.kind === 'pod') {
        events.event(
          podEventObject(worker.subject.pod),
          'Warning',
          'FailedSync',
          `error determining status: ${errorMessage(error)}`,
        );
      }
      throw error;
    }
  };

  /** The work of `state` is done: the pod moves on, unless somebody moved it meanwhile. */
  const complete = (worker: Worker, state: PodWorkerState): boolean => {
    if (worker.state.kind !== state.kind) return true;
    enter(worker, afterCompletion(worker.state, podOf(worker.subject), clock.now()));
    return true;
  };

  const retryDelay = (worker: Worker, error: unknown): number => {
    const { backoffUntilMs, transient } = (typeof error === 'object' && error !== null ? error : {}) as RetryHint;
    // Waking exactly at the end of a back-off: a later moment would only lengthen every crash loop.
    if (backoffUntilMs !== undefined) return Math.min(Math.max(backoffUntilMs - clock.now(), 1), resyncIntervalMs);
    logger.warn('a step for a pod failed and will be tried again', {
      podUid: worker.uid,
      pod: nameOf(worker.subject),
      state: worker.state.kind,
      error: errorMessage(error),
    });
    return jitter(random, transient === true ? transientRetryDelayMs : retryDelayMs, 0.5);
  };

  const enter = (worker: Worker, state: PodWorkerState): void => {
    const from = worker.state;
    if (state === from) return;
    worker.state = state;
    if (state.kind === from.kind) return;
    transitions.next({ uid: worker.uid, subject: worker.subject, from, to: state });
    if (state.kind === 'terminated' || state.kind === 'finished') {
      for (const resolve of worker.terminationWaiters.splice(0)) resolve();
    }
    if (state.kind === 'finished') finish(worker);
  };

  const finish = (worker: Worker): void => {
    wakeUps.delete(worker.uid);
    releaseFullName(worker);
    if (worker.successor !== undefined) {
      workers.delete(worker.uid);
      create({ kind: 'pod', pod: worker.successor }, worker.uid, worker.mark);
    }
  };

  const releaseFullName = (worker: Worker): void => {
    const next = workers.get(fullNames.leave(nameOf(worker.subject), worker.uid) ?? '');
    if (next?.state.kind !== 'waiting') return;
    enter(next, afterWaiting(next.state, clock.now()));
    wake(next);
  };

  const create = (subject: PodSubject, uid: string, mark = 0): void => {
    // Static pods follow one another under their name; what the runtime holds already has it, whoever else wants it.
    const sharesName = subject.kind === 'runtime' || isStaticPod(subject.pod);
    const mayStart = !sharesName || fullNames.join(nameOf(subject), uid) || subject.kind === 'runtime';
    const worker: Worker = {
      uid,
      subject,
      state: { kind: mayStart ? 'syncing' : 'waiting', sinceMs: clock.now() },
      step: undefined,
      dirty: false,
      mark,
      successor: undefined,
      terminationWaiters: [],
    };
    workers.set(uid, worker);
    transitions.next({ uid, subject, from: undefined, to: worker.state });
    if (subject.kind === 'pod') terminateIfDone(worker, subject.pod);
    else terminateWorker(worker, { reason: 'orphaned', gracePeriodSeconds: 1 });
    wake(worker);
  };

  const terminateWorker = (worker: Worker, request: TerminationRequest): void => {
    const before = worker.state;
    enter(worker, requestTermination(before, podOf(worker.subject), request, clock.now()));
    const { state } = worker;
    if (state === before || state.kind === 'finished') return;
    const shortened =
      before.kind === 'terminating' &&
      state.kind === 'terminating' &&
      state.gracePeriodSeconds < before.gracePeriodSeconds;
    if (before.kind === 'syncing' || shortened) worker.step?.abort(new PodTerminated());
    wake(worker);
  };

  /** Its own object may say that a pod is to end: it is being deleted, or has reached a terminal phase. */
  const terminateIfDone = (worker: Worker, pod: Pod): void => {
    if (pod.metadata?.deletionTimestamp !== undefined) terminateWorker(worker, { reason: 'deleted' });
    else if (isTerminalPhase(pod.status?.phase)) terminateWorker(worker, { reason: 'completed' });
  };

  const update = (pod: Pod, isNew: boolean): void => {
    const uid = pod.metadata?.uid;
    if (uid === undefined) throw new TypeError(`pod ${podFullName(pod)} has no UID`);
    const worker = workers.get(uid);
    if (worker === undefined) {
      create({ kind: 'pod', pod }, uid);
      return;
    }
    if (isNew && isTerminationRequested(worker.state)) {
      worker.successor = pod;
      if (worker.state.kind === 'finished') finish(worker);
      return;
    }
    worker.subject = { kind: 'pod', pod };
    terminateIfDone(worker, pod);
    wake(worker);
  };

  return {
    add: (pod) => update(pod, true),
    update: (pod) => update(pod, false),
    sync: (uid) => wake(workers.get(uid)),
    terminate(uid, request) {
      const worker = workers.get(uid);
      if (worker === undefined) return Promise.resolve();
      worker.successor = undefined;
      terminateWorker(worker, request);
      if (worker.state.kind === 'terminated' || worker.state.kind === 'finished') return Promise.resolve();
      return new Promise((resolve) => worker.terminationWaiters.push(resolve));
    },
    terminateRuntimePod(pod) {
      if (!workers.has(pod.uid)) create({ kind: 'runtime', pod }, pod.uid);
    },
    retain(desired) {
      for (const worker of [...workers.values()]) {
        if (desired.has(worker.uid)) continue;
        worker.successor = undefined;
        if (worker.state.kind !== 'finished') terminateWorker(worker, { reason: 'deleted' });
        // What was completed or evicted earlier is deleted only now: its content is still to be removed.
        else if (worker.step === undefined) workers.delete(worker.uid);
      }
    },
    state: (uid) => workers.get(uid)?.state,
    states: () => new Map([...workers].map(([uid, { state }]) => [uid, state])),
    transitions$: transitions.asObservable(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** The reason with which a step is aborted because its pod must end, or end sooner. */
export class PodTerminated extends Error {
  override readonly name = 'PodTerminated';

  constructor() {
    super('the pod is terminating');
  }
}

function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}

function nameOf(subject: PodSubject): string {
  return subject.kind === 'pod' ? podFullName(subject.pod) : `${subject.pod.name}_${subject.pod.namespace}`;
}
