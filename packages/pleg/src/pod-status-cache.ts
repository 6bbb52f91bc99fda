import { emptyRuntimePodStatus, type RuntimePodStatus } from '@rxlet/pod-model';
import { type Observable, Subject } from 'rxjs';

/**
 * A moment on the cache's own counter. Reads of the runtime are ordered by when they *started* on it, never by anybody's clock: what a read
 * reports is at least as new as the mark taken before it began.
 */
export type ReadMark = number;

/** The latest known runtime status of each pod. */
export interface PodStatusCache {
  /** The latest status read; an empty one for a pod of which the runtime holds nothing. */
  get(uid: string): RuntimePodStatus;
  /** A mark for now: reads that start from here on are newer than it. Take it right after changing something in the runtime. */
  mark(): ReadMark;
  /**
   * The status of a pod by a read that started after `mark`; waits for one if need be.
   * @throws the error of that read if it failed; the signal's reason when `signal` aborts first.
   */
  getNewerThan(uid: string, mark: ReadMark, signal?: AbortSignal): Promise<RuntimePodStatus>;
  /** Each status as it is read. Hot; {@link PodStatusCache.get} has the current ones. */
  readonly changes$: Observable<RuntimePodStatus>;
}

/** The generator's side of the cache. */
export interface WritablePodStatusCache extends PodStatusCache {
  /** Stores what a read that started at `mark` found. */
  set(uid: string, status: RuntimePodStatus, mark: ReadMark): void;
  /** Stores that the read that started at `mark` failed; the last good status stays. */
  setError(uid: string, error: Error, mark: ReadMark): void;
  /** The pod's listing differs from its stored status: until the next read only a newer one will do. */
  setChanged(uid: string): void;
  /** A listing that started at `mark` saw all pods: what is stored of pods that are not changed holds at that moment, and others do not exist. */
  setListed(mark: ReadMark): void;
  /** The same for a listing of one pod. */
  setPodListed(uid: string, mark: ReadMark): void;
  /** The pod was read, and the latest listing, which started at `mark`, shows it as it was read. */
  setSettled(uid: string, mark: ReadMark): void;
  /** Forgets a pod of which the runtime holds nothing any more. */
  delete(uid: string, mark: ReadMark): void;
  /** Rejects who still waits. */
  close(reason: Error): void;
}

interface Entry {
  status: RuntimePodStatus;
  error: Error | undefined;
  /** The entry holds for every mark before this one. */
  validAt: ReadMark;
  changed: boolean;
}

interface Waiter {
  readonly mark: ReadMark;
  readonly resolve: (status: RuntimePodStatus) => void;
  readonly reject: (error: Error) => void;
}

/** Options of {@link createPodStatusCache}. */
export interface PodStatusCacheOptions {
  /** Called when somebody begins to wait for a newer status of a pod, so that it can be read soon. */
  readonly onWait?: (uid: string) => void;
}

/** Creates an empty cache. Waiters are bounded by their callers: a pod worker waits at most once. */
export function createPodStatusCache(options: PodStatusCacheOptions = {}): WritablePodStatusCache {
  const entries = new Map<string, Entry>();
  const waiters = new Map<string, Set<Waiter>>();
  const changes = new Subject<RuntimePodStatus>();
  let counter = 0;
  let listedAt = 0;

  /** The answer for a mark, or `undefined` while no read is new enough. */
  const answer = (uid: string, mark: ReadMark): RuntimePodStatus | Error | undefined => {
    const entry = entries.get(uid);
    if (entry === undefined) return listedAt > mark ? emptyRuntimePodStatus(uid) : undefined;
    const validAt = entry.changed || entry.error !== undefined ? entry.validAt : Math.max(entry.validAt, listedAt);
    return validAt > mark ? (entry.error ?? entry.status) : undefined;
  };
  const settle = (uid: string, find: (waiter: Waiter) => RuntimePodStatus | Error | undefined): void => {
    const waiting = waiters.get(uid);
    if (waiting === undefined) return;
    for (const waiter of waiting) {
      const found = find(waiter);
      if (found === undefined) continue;
      waiting.delete(waiter);
      if (found instanceof Error) waiter.reject(found);
      else waiter.resolve(found);
    }
    if (waiting.size === 0) waiters.delete(uid);
  };
  const wake = (uid: string): void => settle(uid, ({ mark }) => answer(uid, mark));
  const wakeGone = (uid: string, goneAt: ReadMark): void =>
    settle(uid, ({ mark }) => (mark < goneAt ? emptyRuntimePodStatus(uid) : undefined));

  return {
    get: (uid) => entries.get(uid)?.status ?? emptyRuntimePodStatus(uid),
    mark: () => (counter += 1),
    getNewerThan(uid, mark, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const found = answer(uid, mark);
        if (found instanceof Error) {
          reject(found);
          return;
        }
        if (found !== undefined) {
          resolve(found);
          return;
        }
        const waiting = waiters.get(uid) ?? new Set<Waiter>();
        waiters.set(uid, waiting);
        const abort = (): void => {
          waiting.delete(waiter);
          if (waiting.size === 0 && waiters.get(uid) === waiting) waiters.delete(uid);
          reject(signal?.reason as Error);
        };
        const settled = (): void => signal?.removeEventListener('abort', abort);
        const waiter: Waiter = {
          mark,
          resolve: (status) => (settled(), resolve(status)),
          reject: (error) => (settled(), reject(error)),
        };
        waiting.add(waiter);
        options.onWait?.(uid);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    changes$: changes.asObservable(),
    set(uid, status, mark) {
      const earlier = entries.get(uid);
      if (earlier !== undefined && earlier.validAt > mark) return;
      entries.set(uid, { status, error: undefined, validAt: mark, changed: true });
      wake(uid);
      changes.next(status);
    },
    setError(uid, error, mark) {
      const earlier = entries.get(uid);
      if (earlier !== undefined && earlier.validAt > mark) return;
      entries.set(uid, { status: earlier?.status ?? emptyRuntimePodStatus(uid), error, validAt: mark, changed: true });
      wake(uid);
    },
    setChanged(uid) {
      const entry = entries.get(uid);
      if (entry === undefined) {
        entries.set(uid, { status: emptyRuntimePodStatus(uid), error: undefined, validAt: 0, changed: true });
      } else {
        entry.changed = true;
      }
    },
    setSettled(uid, mark) {
      const entry = entries.get(uid);
      if (entry === undefined) return;
      entry.changed = false;
      entry.validAt = Math.max(entry.validAt, mark);
      wake(uid);
    },
    setListed(mark) {
      listedAt = Math.max(listedAt, mark);
      for (const uid of [...waiters.keys()]) wake(uid);
    },
    setPodListed(uid, mark) {
      const entry = entries.get(uid);
      if (entry === undefined) {
        wakeGone(uid, mark);
        return;
      }
      if (!entry.changed && entry.error === undefined) entry.validAt = Math.max(entry.validAt, mark);
      wake(uid);
    },
    delete(uid, mark) {
      if (!entries.delete(uid)) return;
      wakeGone(uid, mark);
      changes.next(emptyRuntimePodStatus(uid));
    },
    close(reason) {
      for (const waiting of waiters.values()) for (const waiter of waiting) waiter.reject(reason);
      waiters.clear();
      changes.complete();
    },
  };
}
