import { onAbort } from '@rxlet/component-base';
import { emptyRuntimePodStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';

/**
 * A point on the cache's own counter. It orders reads of the runtime by when they *started*, without any clock: a read reports a state that is at least as new
 * as the mark taken before it began.
 */
export type ReadMark = number;

/** The latest known runtime status of each pod. */
export interface PodStatusCache {
  /** Returns the latest status; an empty one if the runtime does not have the pod. */
  get(uid: string): RuntimePodStatus;
  /** Returns a mark for now: reads that start from here on are newer. Take it right after a change in the runtime. */
  mark(): ReadMark;
  /**
   * Resolves with the status of a pod by a read that started after `mark`, and requests such a read if there is none yet.
   * @throws the error of that read if it failed; the signal's reason when `signal` aborts first; an error after disposal
   */
  getNewerThan(uid: string, mark: ReadMark, signal?: AbortSignal): Promise<RuntimePodStatus>;
}

/** The cache with the methods that the generator updates it by. */
export interface WritablePodStatusCache extends PodStatusCache {
  /** Stores the status by a read that started at `mark`. */
  set(uid: string, status: RuntimePodStatus, mark: ReadMark): void;
  /** Records that the read that started at `mark` failed; the last good status stays. */
  setError(uid: string, error: Error, mark: ReadMark): void;
  /** Records that the pod's listing differs from its stored status, which counts as stale until the next read. */
  setChanged(uid: string): void;
  /** Records a listing of all pods that started at `mark`: the statuses of unchanged pods are up to date at that moment, and pods without one do not exist. */
  setListed(mark: ReadMark): void;
  /** Records a listing of one pod that started at `mark`. */
  setPodListed(uid: string, mark: ReadMark): void;
  /** Records that the status of the pod is based on the latest listing, which started at `mark`. */
  setSettled(uid: string, mark: ReadMark): void;
  /** Removes a pod that is gone from the runtime. */
  delete(uid: string, mark: ReadMark): void;
  /** Rejects the pending waits and all later ones. */
  close(reason: Error): void;
}

interface Entry {
  status: RuntimePodStatus;
  error: Error | undefined;
  /** The status is newer than every mark before this one. */
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
  /** Called when a wait for a newer status of a pod begins, so that the pod can be read soon. */
  readonly onWait?: (uid: string) => void;
}

/** Creates an empty cache. The waits are bounded by their callers: a pod worker waits at most once. */
export function createPodStatusCache(options: PodStatusCacheOptions = {}): WritablePodStatusCache {
  const entries = new Map<string, Entry>();
  const waiters = new Map<string, Set<Waiter>>();
  let counter = 0;
  let listedAt = 0;
  let closed: Error | undefined;

  /** Returns the answer for a mark, or `undefined` while no read is new enough. */
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
  const notify = (uid: string): void => settle(uid, ({ mark }) => answer(uid, mark));
  const settleGone = (uid: string, goneAt: ReadMark): void =>
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
        if (closed !== undefined) {
          reject(closed);
          return;
        }
        const waiting = waiters.get(uid) ?? new Set<Waiter>();
        waiters.set(uid, waiting);
        const listener = onAbort(signal, (reason) => {
          waiting.delete(waiter);
          if (waiting.size === 0 && waiters.get(uid) === waiting) waiters.delete(uid);
          reject(reason);
        });
        const settled = (): void => listener[Symbol.dispose]();
        const waiter: Waiter = {
          mark,
          resolve: (status) => (settled(), resolve(status)),
          reject: (error) => (settled(), reject(error)),
        };
        waiting.add(waiter);
        options.onWait?.(uid);
      });
    },
    set(uid, status, mark) {
      const earlier = entries.get(uid);
      if (earlier !== undefined && earlier.validAt > mark) return;
      entries.set(uid, { status, error: undefined, validAt: mark, changed: true });
      notify(uid);
    },
    setError(uid, error, mark) {
      const earlier = entries.get(uid);
      if (earlier !== undefined && earlier.validAt > mark) return;
      entries.set(uid, { status: earlier?.status ?? emptyRuntimePodStatus(uid), error, validAt: mark, changed: true });
      notify(uid);
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
      notify(uid);
    },
    setListed(mark) {
      listedAt = Math.max(listedAt, mark);
      for (const uid of [...waiters.keys()]) notify(uid);
    },
    setPodListed(uid, mark) {
      const entry = entries.get(uid);
      if (entry === undefined) {
        settleGone(uid, mark);
        return;
      }
      if (!entry.changed && entry.error === undefined) entry.validAt = Math.max(entry.validAt, mark);
      notify(uid);
    },
    delete(uid, mark) {
      if (!entries.delete(uid)) return;
      settleGone(uid, mark);
    },
    close(reason) {
      closed = reason;
      for (const waiting of waiters.values()) for (const waiter of waiting) waiter.reject(reason);
      waiters.clear();
    },
  };
}
