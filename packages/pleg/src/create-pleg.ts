import {
  type Clock,
  createLifetime,
  createSemaphore,
  DeadlineExceededError,
  errorMessage,
  type Lifetime,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import { readRuntimePods, readRuntimePodStatus, type RuntimePod, type RuntimePodStatus } from '@rxlet/pod-model';
import { firstValueFrom, merge, Observable, ReplaySubject, Subject } from 'rxjs';
import { createPlegMetrics } from './pleg-metrics.ts';
import { computePodLifecycleEvents, type PodLifecycleEvent } from './pod-lifecycle-event.ts';
import { createPodStatusCache, type PodStatusCache, type ReadMark } from './pod-status-cache.ts';

/** What the generator needs. */
export interface PlegPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Options of {@link createPleg}. */
export interface PlegOptions {
  /** Runtime name that prefixes container ids, as CRI Version reports it. */
  readonly runtimeName: string;
  /** Pause between the end of one relist and the begin of the next. Default 1000, as the kubelet's. */
  readonly relistPeriodMs?: number;
  /** Without a successful relist for this long the generator is unhealthy. Default three minutes, as the kubelet's. */
  readonly relistThresholdMs?: number;
  /** How many pods may be read at the same time. Default 10. */
  readonly maxConcurrentReads?: number;
  /** How long one listing, or the reading of one pod, may take. Default two minutes. */
  readonly readTimeoutMs?: number;
}

/** The pod lifecycle event generator: lists what the runtime holds, tells what changed, and keeps the status of each pod. */
export interface Pleg extends AsyncDisposable {
  /** Begins to list, at once and then periodically. */
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
  /** What is wrong with listing; `undefined` while it works. One pod that cannot be read is no problem of the generator. */
  problem(): string | undefined;
  /** The pods whose last reading failed, and why. */
  sickPods(): ReadonlyMap<string, Error>;
}

interface PodRecord {
  /** What the last successful reading was based on. */
  read: RuntimePod | undefined;
  /** The latest listing. */
  listed: RuntimePod | undefined;
  listedAt: ReadMark;
  reading: boolean;
}

/** With more single pods asked for than this, one listing of all is cheaper. */
const MAX_SINGLE_RELISTS = 8;

/** Creates a generator. It touches nothing before {@link Pleg.start}. */
export function createPleg(ports: PlegPorts, options: PlegOptions): Pleg {
  const { runtime, clock, logger = noopLogger } = ports;
  const { runtimeName, relistPeriodMs = 1000, relistThresholdMs = 180_000, readTimeoutMs = 120_000 } = options;
  const lifetime: Lifetime = createLifetime();
  const cache = createPodStatusCache({ onWait: (uid) => requestRelist(uid) });
  const metrics = createPlegMetrics(ports.metrics ?? noopMetrics);
  const reads = createSemaphore(options.maxConcurrentReads ?? 10);
  const records = new Map<string, PodRecord>();
  const sick = new Map<string, Error>();
  const requested = new Set<string>();
  const events = new Subject<PodLifecycleEvent>();
  const firstListing = new ReplaySubject<void>(1);
  let wakeLoop: (() => void) | undefined;
  let started = false;
  let listedMs: number | undefined;
  let listError: string | undefined;

  const list = (uid?: string): Promise<RuntimePod[]> =>
    withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
      readRuntimePods(runtime, { runtimeName, signal, timeoutMs: readTimeoutMs, ...(uid !== undefined && { uid }) }),
    );

  /** Reads a changed pod until what was read is what is listed, or until a read fails; the next listing tries again then. */
  const readPod = async (uid: string, record: PodRecord): Promise<void> => {
    record.reading = true;
    try {
      for (;;) {
        const target = record.listed;
        const pending = computePodLifecycleEvents(uid, record.read, target);
        if (pending.length === 0) break;
        const status = await reads.run(() => readStatus(uid, target), lifetime.signal);
        if (status === undefined) break;
        record.read = target;
        for (const event of pending) {
          events.next(event.type === 'ContainerDied' ? { ...event, ...exitCode(status, event.containerId) } : event);
        }
      }
    } catch (error) {
      if (!lifetime.signal.aborted) throw error;
    } finally {
      record.reading = false;
      if (record.listed === undefined && record.read === undefined) records.delete(uid);
    }
  };

  /** @returns `undefined` when the pod could not be read. */
  const readStatus = async (
    uid: string,
    target: RuntimePod | undefined,
  ): Promise<RuntimePodStatus | 'gone' | undefined> => {
    const mark = cache.mark();
    if (target === undefined) {
      sick.delete(uid);
      cache.delete(uid, mark);
      return 'gone';
    }
    try {
      const status = await withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
        readRuntimePodStatus(runtime, target, { runtimeName, signal, timeoutMs: readTimeoutMs }),
      );
      const kept = keepIps(cache.get(uid), status);
      sick.delete(uid);
      cache.set(uid, kept, mark);
      return kept;
    } catch (error) {
      if (lifetime.signal.aborted) return undefined;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (!sick.has(uid)) logger.warn('cannot read the status of a pod', { podUid: uid, error: failure.message });
      sick.set(uid, failure);
      cache.setError(uid, failure, mark);
      return undefined;
    }
  };

  /** Notes a listing of a pod and starts to read it if it changed. */
  const reconcile = (uid: string, listed: RuntimePod | undefined, mark: ReadMark): void => {
    let record = records.get(uid);
    if (record === undefined) {
      if (listed === undefined) return;
      record = { read: undefined, listed: undefined, listedAt: 0, reading: false };
      records.set(uid, record);
    }
    record.listed = listed;
    record.listedAt = mark;
    if (computePodLifecycleEvents(uid, record.read, listed).length === 0) return;
    cache.setChanged(uid);
    if (!record.reading) void lifetime.track(readPod(uid, record));
  };

  const relistAll = async (): Promise<void> => {
    requested.clear();
    const mark = cache.mark();
    const beganMs = clock.monotonicNow();
    metrics.relistBegan(beganMs);
    try {
      const pods = await list();
      const byUid = new Map(pods.map((pod) => [pod.uid, pod]));
      for (const uid of [...records.keys()]) if (!byUid.has(uid)) reconcile(uid, undefined, mark);
      for (const [uid, pod] of byUid) reconcile(uid, pod, mark);
      cache.setListed(mark);
      listedMs = clock.monotonicNow();
      firstListing.next();
      metrics.relistEnded(listedMs, pods);
      if (listError !== undefined) logger.info('the container runtime can be listed again');
      listError = undefined;
    } catch (error) {
      noteListError(error);
    }
  };

  const relistOne = async (uid: string): Promise<void> => {
    const mark = cache.mark();
    try {
      const pods = await list(uid);
      reconcile(
        uid,
        pods.find((pod) => pod.uid === uid),
        mark,
      );
      cache.setPodListed(uid, mark);
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
      await relistAll();
      const periodEnd = clock.monotonicNow() + relistPeriodMs;
      for (;;) {
        const [uid] = requested;
        if (uid !== undefined && requested.size <= MAX_SINGLE_RELISTS) {
          requested.delete(uid);
          await relistOne(uid);
        } else if (uid !== undefined) {
          break;
        }
        const remainingMs = periodEnd - clock.monotonicNow();
        if (remainingMs <= 0 || lifetime.signal.aborted) break;
        if (requested.size === 0) await waitForRequest(remainingMs);
      }
    }
  };

  const waitForRequest = async (timeoutMs: number): Promise<void> => {
    const woken = new AbortController();
    wakeLoop = () => woken.abort();
    const stop = (): void => woken.abort();
    lifetime.signal.addEventListener('abort', stop, { once: true });
    await sleep(clock, timeoutMs, woken.signal).catch(() => undefined);
    lifetime.signal.removeEventListener('abort', stop);
    wakeLoop = undefined;
  };

  const requestRelist = (podUid: string): void => {
    requested.add(podUid);
    wakeLoop?.();
  };

  lifetime.defer(() => {
    cache.close(new Error('the pod lifecycle event generator has stopped'));
    events.complete();
    firstListing.error(new Error('the pod lifecycle event generator has stopped'));
  });

  return {
    start() {
      if (started || lifetime.signal.aborted) return;
      started = true;
      void lifetime.track(loop());
    },
    events$: events.asObservable(),
    cache,
    firstListing: (signal) => firstValueFrom(merge(firstListing, ...(signal === undefined ? [] : [aborted(signal)]))),
    pods: () => [...records.values()].flatMap(({ listed }) => listed ?? []),
    requestRelist,
    problem() {
      if (listedMs === undefined) return listError ?? 'pleg has yet to be successful';
      const ageMs = clock.monotonicNow() - listedMs;
      if (ageMs < relistThresholdMs) return undefined;
      const seconds = (ms: number): string => `${String(Math.round(ms / 1000))}s`;
      const cause = listError === undefined ? '' : `: ${listError}`;
      return `pleg was last seen active ${seconds(ageMs)} ago; threshold is ${seconds(relistThresholdMs)}${cause}`;
    },
    sickPods: () => sick,
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

function exitCode(status: RuntimePodStatus | 'gone', containerId: string): { exitCode?: number } {
  const container = status === 'gone' ? undefined : status.containers.find(({ id }) => id.id === containerId);
  return container?.state === 'exited' ? { exitCode: container.exitCode } : {};
}

/** A pod whose sandbox has ended keeps the IPs it had: its containers ran under them (kubelet: generic PLEG, preserving pod IPs). */
function keepIps(earlier: RuntimePodStatus, status: RuntimePodStatus): RuntimePodStatus {
  if (status.ips.length > 0 || earlier.ips.length === 0) return status;
  return status.sandboxes.some(({ state }) => state === 'ready') ? status : { ...status, ips: earlier.ips };
}
