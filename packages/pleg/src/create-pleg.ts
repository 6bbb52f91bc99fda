import {
  type Clock,
  createLifetime,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  noopLogger,
  type Random,
  systemRandom,
  withDeadline,
} from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createCurrentValue, createEmitter, type CurrentValue } from '@rxlet/component-base/streams';
import type { RuntimeService } from '@rxlet/cri-api';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import { readRuntimePods } from '@rxlet/pod-model/cri';
import type { Observable } from 'rxjs';
import type { ContainerHint, HintSource } from './container-hints.ts';
import { followHints } from './follow-hints.ts';
import { createHintChecks } from './hint-checks.ts';
import { createPlegMetrics } from './pleg-metrics.ts';
import type { PodLifecycleEvent } from './pod-lifecycle-event.ts';
import { createPodReader } from './pod-reader.ts';
import { createPodStatusCache, type PodStatusCache } from './pod-status-cache.ts';
import { createRelistLoop } from './relist-loop.ts';
import { createRelistPeriod } from './relist-period.ts';

/** Ports of {@link createPleg}. */
export interface PlegPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /**
   * Event streams of the runtime, in order of preference; the first one that it supports is followed. Exits are then seen at once, and relists become rare.
   * Default: none, so the runtime is polled.
   */
  readonly hints?: readonly HintSource[] | undefined;
  readonly clock: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Options of {@link createPleg}. */
export interface PlegOptions {
  /**
   * Name of the runtime, which prefixes container ids, as CRI Version reports it. A function is called with each read, for a name that is not known at
   * creation.
   */
  readonly runtimeName: string | (() => string);
  /** Pause between the end of one relist and the beginning of the next. Default 1000, as the kubelet's. */
  readonly relistPeriodMs?: number | undefined;
  /**
   * Relist period while container events arrive. The period doubles from `relistPeriodMs` up to this value with each relist that finds no change, and resets
   * when a relist finds one. It stays below twice `relistPeriodMs` until the events have proven complete. Default one minute.
   */
  readonly relistPeriodWithHintsMs?: number | undefined;
  /** Time without a successful relist after which the generator is unhealthy. Default three minutes, as the kubelet's. */
  readonly relistThresholdMs?: number | undefined;
  /** Number of pods that may be read at the same time. Default 10. */
  readonly maxConcurrentReads?: number | undefined;
  /** Timeout of one listing, and of the reading of one pod. Default two minutes. */
  readonly readTimeoutMs?: number | undefined;
}

/** The pod lifecycle event generator: lists the runtime's pods, emits their changes, and keeps the latest status of each pod. */
export interface Pleg extends AsyncDisposable {
  /** Starts to relist, at once and then periodically, and to follow the hints. */
  start(): void;
  /**
   * Changes of containers. Hot; each event is emitted after {@link Pleg.cache} has the status with the change. The events of one pod are in order.
   * Never errors; completes on disposal.
   */
  readonly events$: Observable<PodLifecycleEvent>;
  readonly cache: PodStatusCache;
  /** Whether a listing has succeeded. Completes on disposal. */
  readonly hasListed: CurrentValue<boolean>;
  /** Returns all pods of the latest listing, including pods that could not be read since, and pods with only dead containers and sandboxes. */
  pods(): readonly RuntimePod[];
  /** Returns a pod of {@link Pleg.pods}. */
  find(podUid: string): RuntimePod | undefined;
  /** Returns those of {@link Pleg.pods} that have this name: more than one while a pod follows another. */
  named(namespace: string, name: string): readonly RuntimePod[];
  /** Requests a relist of one pod without waiting for the period, after the caller has changed it. */
  requestRelist(podUid: string): void;
  /**
   * Requests a relist of one pod and reads its status even if the lists show no change (the event is `PodSync` then). For changes that lists do not show, such
   * as those of resources.
   */
  requestReinspect(podUid: string): void;
  /** Returns why listing fails; `undefined` while it works. A single pod that cannot be read is not a problem of the generator. */
  problem(): string | undefined;
  /** Returns the pods whose last reading failed, with the error. */
  unreadablePods(): ReadonlyMap<string, Error>;
  /** Returns the state of the relists, for debugging. */
  queue(): { readonly requestedPods: number; readonly followingHints: boolean; readonly relistPeriodMs: number };
}

/**
 * Creates a generator. It does no I/O before {@link Pleg.start}.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import type { RuntimeService } from '@rxlet/cri-api';
 * import { containerEventHints, createPleg } from '@rxlet/pleg';
 *
 * declare const runtime: RuntimeService;
 * await using pleg = createPleg(
 *   { runtime, hints: [containerEventHints(runtime)], clock: systemClock },
 *   { runtimeName: 'containerd' },
 * );
 * pleg.events$.subscribe(({ podUid, type }) => console.log(podUid, type));
 * pleg.start();
 * ```
 */
export function createPleg(ports: PlegPorts, options: PlegOptions): Pleg {
  const { runtime, clock, random = systemRandom, logger = noopLogger, hints = [] } = ports;
  const { relistPeriodMs = 1_000, relistPeriodWithHintsMs = 60_000 } = options;
  const { relistThresholdMs = 180_000, readTimeoutMs = 120_000, maxConcurrentReads = 10 } = options;
  const runtimeName = (): string =>
    typeof options.runtimeName === 'string' ? options.runtimeName : options.runtimeName();
  const lifetime = createLifetime();
  const cache = createPodStatusCache({ onWait: (uid) => loop.requestPod(uid) });
  const metrics = createPlegMetrics(ports.metrics ?? noopMetrics, () => clock.monotonicNow());
  const events = createEmitter<PodLifecycleEvent>();
  const hasListed = createCurrentValue(false);
  const period = createRelistPeriod(clock, { relistPeriodMs, relistPeriodWithHintsMs });
  const reader = createPodReader(
    {
      runtime,
      clock,
      logger,
      cache,
      lifetime,
      emit: events.emit,
      onListedChange: period.found,
      onReadFailure: () => loop.periodChanged(),
    },
    { runtimeName, maxConcurrentReads, readTimeoutMs },
  );
  let started = false;
  let listedMs: number | undefined;
  let listError: string | undefined;

  const list = (uid?: string): Promise<RuntimePod[]> =>
    withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
      readRuntimePods(runtime, {
        runtimeName: runtimeName(),
        signal,
        timeoutMs: readTimeoutMs,
        ...(uid !== undefined && { uid }),
      }),
    );

  const relistAll = async (): Promise<void> => {
    const mark = cache.mark();
    metrics.relistBegan(clock.monotonicNow());
    period.relistBegan();
    try {
      const pods = await list();
      const byUid = new Map(pods.map((pod) => [pod.uid, pod]));
      let hasNews = false;
      for (const uid of reader.uids()) if (!byUid.has(uid)) hasNews = reader.reconcile(uid, undefined, mark) || hasNews;
      for (const [uid, pod] of byUid) hasNews = reader.reconcile(uid, pod, mark) || hasNews;
      period.relistEnded(hasNews);
      cache.setListed(mark);
      listedMs = clock.monotonicNow();
      if (!hasListed.value) hasListed.set(true);
      metrics.relistEnded(listedMs, clock.now(), pods);
      if (listError !== undefined) logger.info('the container runtime can be listed again');
      listError = undefined;
    } catch (error) {
      metrics.relistFailed();
      recordListError(error);
    }
  };

  const relistPod = async (uid: string): Promise<void> => {
    const mark = cache.mark();
    const beganMs = clock.monotonicNow();
    try {
      const pods = await list(uid);
      reader.reconcile(
        uid,
        pods.find((pod) => pod.uid === uid),
        mark,
      );
      cache.setPodListed(uid, mark);
      metrics.podRelisted(clock.monotonicNow() - beganMs);
    } catch (error) {
      recordListError(error);
    }
  };

  const recordListError = (error: unknown): void => {
    if (lifetime.signal.aborted) return;
    const message = error instanceof DeadlineExceededError ? `listing pods: ${error.message}` : errorMessage(error);
    if (message !== listError) logger.error('cannot list the pods of the container runtime', { error: message });
    listError = message;
  };

  const loop = createRelistLoop({
    clock,
    relistAll,
    relistPod,
    // A failure is retried at the normal period, however rare relists are.
    periodMs: () => (listError === undefined && reader.unreadable.size === 0 ? period.currentMs() : relistPeriodMs),
  });
  const checks = createHintChecks({
    clock,
    lookUp: reader.lookUp,
    requestRelist: (uid) => (uid === undefined ? loop.requestAll(relistPeriodMs) : loop.requestPod(uid)),
  });

  const startFollowingHints = (): void => {
    const onHint = (hint: ContainerHint): void => {
      period.announced(hint);
      checks.add(hint);
    };
    const onChange = (source: HintSource | undefined): void => {
      period.follow(source);
      // Changes from before the stream was open have no hints.
      loop.requestAll(0);
    };
    void lifetime.track(followHints(hints, { clock, random, logger, metrics, onHint, onChange }, lifetime.signal));
  };

  lifetime.defer(() => {
    checks[Symbol.dispose]();
    cache.close(new Error('the pod lifecycle event generator has stopped'));
    events.complete();
    hasListed.complete();
  });

  return {
    start() {
      if (started || lifetime.signal.aborted) return;
      started = true;
      void lifetime.track(loop.run(lifetime.signal));
      if (hints.length > 0) startFollowingHints();
    },
    events$: events.values$,
    cache,
    hasListed,
    pods: reader.pods,
    find: reader.find,
    named: reader.named,
    requestRelist: loop.requestPod,
    requestReinspect(podUid) {
      reader.reinspect(podUid);
      loop.requestPod(podUid);
    },
    problem() {
      if (listedMs === undefined) return listError ?? 'pleg has yet to be successful';
      const ageMs = clock.monotonicNow() - listedMs;
      if (ageMs < relistThresholdMs) return undefined;
      const seconds = (ms: number): string => `${String(Math.round(ms / 1000))}s`;
      const cause = listError === undefined ? '' : `: ${listError}`;
      return `pleg was last seen active ${seconds(ageMs)} ago; threshold is ${seconds(relistThresholdMs)}${cause}`;
    },
    unreadablePods: () => reader.unreadable,
    queue: () => ({
      requestedPods: loop.requestedPods,
      followingHints: period.isFollowing,
      relistPeriodMs: period.currentMs(),
    }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
