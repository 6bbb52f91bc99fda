import { type Clock, createRateLimiter, onAbort, sleep } from '@rxlet/component-base';

/** Ports of {@link createRelistLoop}. */
export interface RelistLoopPorts {
  readonly clock: Clock;
  /** Lists all pods. Must not reject. */
  relistAll(): Promise<void>;
  /** Lists one pod. Must not reject. */
  relistPod(uid: string): Promise<void>;
  /** Present pause between the end of a full relist and the beginning of the next. */
  periodMs(): number;
}

/** Runs relists periodically and on demand, one at a time, because two at once could be applied in the wrong order. */
export interface RelistLoop {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Requests a relist that shows this pod. One relist serves all requests made before it begins. */
  requestPod(uid: string): void;
  /** Requests a relist of all pods, at the latest `afterMs` after the end of the last one. */
  requestAll(afterMs: number): void;
  /** Notifies the loop of a changed period. */
  periodChanged(): void;
  /** Number of pods that are requested and not listed yet. */
  readonly requestedPods: number;
}

/** Requests of one turn of the event loop are served together: the caller has then finished its changes, and its next read needs no other relist. */
const COALESCE_MS = 0;
/** On a node of the usual size, one listing of all pods is cheaper than more single ones than this. */
const MAX_SINGLE_RELISTS = 8;
/** Relists of single pods per second, and at once. */
const SINGLE_RELISTS = { perSecond: 10, burst: 20 };
/** Pause before a full relist that serves requests: a multiple of the last one's duration, within bounds. */
const DEMAND_PAUSE = { factor: 2, minMs: 100, maxMs: 1_000 };

/** Creates a {@link RelistLoop}. The requests are bounded by the number of pods: a full relist serves all of them. */
export function createRelistLoop({ clock, relistAll, relistPod, periodMs }: RelistLoopPorts): RelistLoop {
  const requested = new Set<string>();
  const singleRelists = createRateLimiter(clock, SINGLE_RELISTS.perSecond, SINGLE_RELISTS.burst);
  /** Duration of the latest relist of a single pod. */
  let singleMs = Infinity;
  /** Time spent on single relists since the last full one. */
  let spentMs = 0;
  /** Longest wait for the next full relist that was requested. */
  let fullRelistAfterMs = Infinity;
  let notify: (() => void) | undefined;

  const waitAtMost = async (timeoutMs: number, signal: AbortSignal): Promise<void> => {
    const { promise: notified, resolve } = Promise.withResolvers<void>();
    using _timer = clock.setTimer(timeoutMs, resolve);
    using _listener = onAbort(signal, () => resolve());
    notify = resolve;
    await notified;
    notify = undefined;
  };

  /**
   * Reports whether the requests are served by relists of single pods. Beyond the limits, these may take as long as the last full relist did: on a node of thousands of
   * pods, many single ones are cheaper than a full one.
   */
  const maySingle = (fullMs: number): boolean => {
    if (spentMs + requested.size * singleMs < fullMs) return true;
    return requested.size <= MAX_SINGLE_RELISTS && singleRelists.tryAcquire();
  };

  const relistSingle = async (uid: string): Promise<void> => {
    requested.delete(uid);
    const beganMs = clock.monotonicNow();
    await relistPod(uid);
    singleMs = clock.monotonicNow() - beganMs;
    spentMs += singleMs;
  };

  const waitForFullRelist = async (durationMs: number, signal: AbortSignal): Promise<void> => {
    const endedMs = clock.monotonicNow();
    const demandPauseMs = Math.max(DEMAND_PAUSE.minMs, Math.min(DEMAND_PAUSE.factor * durationMs, DEMAND_PAUSE.maxMs));
    while (!signal.aborted) {
      const ageMs = clock.monotonicNow() - endedMs;
      // At most half of the time is spent on full relists, whatever requests them.
      const dueMs = Math.min(periodMs(), Math.max(fullRelistAfterMs, Math.min(durationMs, periodMs())));
      if (ageMs >= dueMs) return;
      const [uid] = requested;
      if (uid === undefined) {
        await waitAtMost(dueMs - ageMs, signal);
        if (requested.size > 0) await sleep(clock, COALESCE_MS, signal).catch(() => undefined);
      } else if (maySingle(durationMs)) {
        await relistSingle(uid);
      } else {
        if (ageMs >= demandPauseMs) return;
        await sleep(clock, Math.min(dueMs, demandPauseMs) - ageMs, signal).catch(() => undefined);
      }
    }
  };

  return {
    async run(signal) {
      while (!signal.aborted) {
        const beganMs = clock.monotonicNow();
        requested.clear();
        fullRelistAfterMs = Infinity;
        spentMs = 0;
        await relistAll();
        await waitForFullRelist(clock.monotonicNow() - beganMs, signal);
      }
    },
    requestPod(uid) {
      requested.add(uid);
      notify?.();
    },
    requestAll(afterMs) {
      fullRelistAfterMs = Math.min(fullRelistAfterMs, afterMs);
      notify?.();
    },
    periodChanged: () => notify?.(),
    get requestedPods() {
      return requested.size;
    },
  };
}
