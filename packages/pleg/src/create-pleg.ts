import {
  type Clock,
  createLifetime,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
  type Random,
  sleep,
  systemRandom,
  withDeadline,
} from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import { readRuntimePods, type RuntimePod } from '@rxlet/pod-model';
import { firstValueFrom, merge, Observable, ReplaySubject, Subject } from 'rxjs';
import type { HintSource } from './container-hints.ts';
import { followHints } from './follow-hints.ts';
import { createHintChecks } from './hint-checks.ts';
import { createPlegMetrics } from './pleg-metrics.ts';
import type { PodLifecycleEvent } from './pod-lifecycle-event.ts';
import { createPodReader } from './pod-reader.ts';
import { createPodStatusCache, type PodStatusCache } from './pod-status-cache.ts';

/** What the generator needs. */
export interface PlegPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /** Events of the runtime, if it has some: exits are then seen at once, and relists become rare. Default: none, so the runtime is polled. */
  readonly hints?: HintSource | undefined;
  readonly clock: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Options of {@link createPleg}. */
export interface PlegOptions {
  /** Runtime name that prefixes container ids, as CRI Version reports it. */
  readonly runtimeName: string;
  /** Pause between the end of one relist and the begin of the next. Default 1000, as the kubelet's. */
  readonly relistPeriodMs?: number | undefined;
  /**
   * The same while hints come: the net for what they miss. It is reached by doubling `relistPeriodMs` with each relist that found nothing new, and left with the
   * first that did: what happened around a restart, or goes by unsaid, is seen soon. Default one minute.
   */
  readonly relistPeriodWithHintsMs?: number | undefined;
  /** Without a successful relist for this long the generator is unhealthy. Default three minutes, as the kubelet's. */
  readonly relistThresholdMs?: number | undefined;
  /** How many pods may be read at the same time. Default 10. */
  readonly maxConcurrentReads?: number | undefined;
  /** How long one listing, or the reading of one pod, may take. Default two minutes. */
  readonly readTimeoutMs?: number | undefined;
}

/** The pod lifecycle event generator: lists what the runtime holds, tells what changed, and keeps the status of each pod. */
export interface Pleg extends AsyncDisposable {
  /** Begins to list, at once and then periodically, and to follow the hints. */
  start(): void;
  /**
   * What changed. Hot; each event comes after the status it speaks of is in {@link Pleg.cache}. The events of one pod are in order.
   * Never errors; completes when disposed of.
   */
  readonly events$: Observable<PodLifecycleEvent>;
  readonly cache: PodStatusCache;
  /** Resolves once the runtime could be listed for the first time; rejects with the signal's reason when `signal` aborts before. */
  firstListing(signal?: AbortSignal): Promise<void>;
  /** All pods the runtime held at the latest listing, those included that could not be read since. */
  pods(): readonly RuntimePod[];
  /** Asks for a look at one pod soon, without waiting for the next period: for whoever has just changed something in it. */
  requestRelist(podUid: string): void;
  /**
   * The same, and its status is read even if the lists show no change (then `PodSync` is the event): for whoever changed what lists do not show, such as
   * resources.
   */
  requestReinspect(podUid: string): void;
  /** What is wrong with listing; `undefined` while it works. One pod that cannot be read is no problem of the generator. */
  problem(): string | undefined;
  /** The pods whose last reading failed, and why. */
  sickPods(): ReadonlyMap<string, Error>;
  /** What there is to do, for a look inside. */
  queue(): { readonly requestedPods: number; readonly followingHints: boolean };
}

/** With more single pods asked for than this, one listing of all is cheaper. */
const MAX_SINGLE_RELISTS = 8;

/** Creates a generator. It touches nothing before {@link Pleg.start}. */
export function createPleg(ports: PlegPorts, options: PlegOptions): Pleg {
  const { runtime, clock, random = systemRandom, logger = noopLogger, hints } = ports;
  const { runtimeName, relistPeriodMs = 1_000, relistPeriodWithHintsMs = 60_000 } = options;
  const { relistThresholdMs = 180_000, readTimeoutMs = 120_000, maxConcurrentReads = 10 } = options;
  const lifetime = createLifetime();
  const cache = createPodStatusCache({ onWait: (uid) => requestRelist(uid) });
  const metrics = createPlegMetrics(ports.metrics ?? noopMetrics, () => clock.monotonicNow());
  const requested = new Set<string>();
  const events = new Subject<PodLifecycleEvent>();
  const firstListing = new ReplaySubject<void>(1);
  const reader = createPodReader(
    { runtime, clock, logger, cache, lifetime, emit: (event) => events.next(event), onSick: () => wakeLoop?.() },
    { runtimeName, maxConcurrentReads, readTimeoutMs },
  );
  const checks = createHintChecks({
    clock,
    lookUp: reader.lookUp,
    look: (uid) => (uid === undefined ? requestFullRelist(relistPeriodMs) : requestRelist(uid)),
  });
  let wakeLoop: (() => void) | undefined;
  let started = false;
  let following = false;
  /** How long after the end of a full relist another one was asked for. */
  let fullRelistAfterMs = Infinity;
  /** The present period while hints come. */
  let netPeriodMs = relistPeriodMs;
  let listedMs: number | undefined;
  let listError: string | undefined;

  const list = (uid?: string): Promise<RuntimePod[]> =>
    withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
      readRuntimePods(runtime, { runtimeName, signal, timeoutMs: readTimeoutMs, ...(uid !== undefined && { uid }) }),
    );

  const relistAll = async (): Promise<void> => {
    requested.clear();
    fullRelistAfterMs = Infinity;
    const mark = cache.mark();
    metrics.relistBegan(clock.monotonicNow());
    try {
      const pods = await list();
      const byUid = new Map(pods.map((pod) => [pod.uid, pod]));
      let news = false;
      for (const uid of reader.uids()) if (!byUid.has(uid)) news = reader.reconcile(uid, undefined, mark) || news;
      for (const [uid, pod] of byUid) news = reader.reconcile(uid, pod, mark) || news;
      netPeriodMs = news ? relistPeriodMs : Math.min(netPeriodMs * 2, relistPeriodWithHintsMs);
      cache.setListed(mark);
      listedMs = clock.monotonicNow();
      firstListing.next();
      metrics.relistEnded(listedMs, clock.now(), pods);
      if (listError !== undefined) logger.info('the container runtime can be listed again');
      listError = undefined;
    } catch (error) {
      metrics.relistFailed();
      noteListError(error);
    }
  };

  const relistOne = async (uid: string): Promise<void> => {
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
      noteListError(error);
    }
  };

  const noteListError = (error: unknown): void => {
    if (lifetime.signal.aborted) return;
    const message = error instanceof DeadlineExceededError ? `listing pods: ${error.message}` : errorMessage(error);
    if (message !== listError) logger.error('cannot list the pods of the container runtime', { error: message });
    listError = message;
  };

  /** One listing at a time, the full one first: two at once could be applied in the wrong order. */
  const loop = async (): Promise<void> => {
    while (!lifetime.signal.aborted) {
      const beganMs = clock.monotonicNow();
      await relistAll();
      const endedMs = clock.monotonicNow();
      // However many ask: at most half of the time is spent on listing everything.
      const restMs = Math.min(endedMs - beganMs, relistPeriodMs);
      while (!lifetime.signal.aborted) {
        // Asked anew each time: hints get lost, and what could not be read is tried again at the next relist.
        const allIsWell = listError === undefined && reader.sick.size === 0;
        const periodMs = following && allIsWell ? netPeriodMs : relistPeriodMs;
        const tooManySingle = requested.size > MAX_SINGLE_RELISTS;
        const wantedAfterMs = tooManySingle ? 0 : fullRelistAfterMs;
        const remainingMs = endedMs + Math.min(periodMs, Math.max(wantedAfterMs, restMs)) - clock.monotonicNow();
        if (remainingMs <= 0) break;
        if (tooManySingle) {
          await sleep(clock, remainingMs, lifetime.signal).catch(() => undefined);
          continue;
        }
        const [uid] = requested;
        if (uid === undefined) {
          await waitForRequest(remainingMs);
        } else {
          requested.delete(uid);
          await relistOne(uid);
        }
      }
    }
  };

  const waitForRequest = async (timeoutMs: number): Promise<void> => {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    using _timer = clock.setTimer(timeoutMs, wake);
    wakeLoop = wake;
    lifetime.signal.addEventListener('abort', wake, { once: true });
    await woken;
    lifetime.signal.removeEventListener('abort', wake);
    wakeLoop = undefined;
  };

  const requestRelist = (podUid: string): void => {
    requested.add(podUid);
    wakeLoop?.();
  };
  const requestFullRelist = (afterMs: number): void => {
    fullRelistAfterMs = Math.min(fullRelistAfterMs, afterMs);
    wakeLoop?.();
  };

  lifetime.defer(() => {
    checks[Symbol.dispose]();
    cache.close(new Error('the pod lifecycle event generator has stopped'));
    events.complete();
    firstListing.error(new Error('the pod lifecycle event generator has stopped'));
  });

  return {
    start() {
      if (started || lifetime.signal.aborted) return;
      started = true;
      void lifetime.track(loop());
      if (hints === undefined) return;
      const onHint = checks.add;
      const onChange = (now: boolean): void => {
        following = now;
        netPeriodMs = relistPeriodMs;
        // What happened before the stream was open, no hint has told.
        requestFullRelist(0);
      };
      void lifetime.track(followHints(hints, { clock, random, logger, metrics, onHint, onChange }, lifetime.signal));
    },
    events$: events.asObservable(),
    cache,
    firstListing: (signal) => firstValueFrom(merge(firstListing, ...(signal === undefined ? [] : [aborted(signal)]))),
    pods: reader.pods,
    requestRelist,
    requestReinspect(podUid) {
      reader.reinspect(podUid);
      requestRelist(podUid);
    },
    problem() {
      if (listedMs === undefined) return listError ?? 'pleg has yet to be successful';
      const ageMs = clock.monotonicNow() - listedMs;
      if (ageMs < relistThresholdMs) return undefined;
      const seconds = (ms: number): string => `${String(Math.round(ms / 1000))}s`;
      const cause = listError === undefined ? '' : `: ${listError}`;
      return `pleg was last seen active ${seconds(ageMs)} ago; threshold is ${seconds(relistThresholdMs)}${cause}`;
    },
    sickPods: () => reader.sick,
    queue: () => ({ requestedPods: requested.size, followingHints: following }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Errors with the signal's reason when it aborts; emits nothing. */
function aborted(signal: AbortSignal): Observable<never> {
  return new Observable((subscriber) => {
    const abort = (): void => subscriber.error(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  });
}
