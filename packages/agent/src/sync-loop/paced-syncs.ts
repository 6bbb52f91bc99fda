import { type Clock, createDeadlineQueue } from '@rxlet/component-base';

/** Requests syncs of pods after events, at a bounded rate for each pod. */
export interface PacedSyncs extends Disposable {
  /** Syncs a pod after an event: at once, or later if the pod had too many events. */
  request(uid: string): void;
  /** Forgets pods that were quiet for long enough to have their whole burst again. */
  forgetQuiet(): void;
}

/** Number of syncs of a pod in quick succession, as while its containers start. */
const BURST = 30;
/** Pause between two syncs of an unstable pod, or of any pod beyond its burst: the period at which a kubelet relists. */
const INTERVAL_MS = 1_000;

interface Pace {
  /** When the pod's last sync was requested, on the monotonic clock. */
  readonly lastMs: number;
  /** When the pod will have its whole burst again. */
  readonly quietMs: number;
}

/**
 * Creates {@link PacedSyncs} in front of `sync`. The runtime reports changes at once. A sync that fails and changes something there, such as a sandbox
 * whose network cannot be set up, would lead to the next sync without a pause, forever. So a pod has no burst while `isUnstable`: its last sync failed,
 * or it lost its sandbox.
 *
 * @param onFailure called when a delayed call of `sync` throws; the sync is requested again after a second. At once, `request` throws.
 */
export function createPacedSyncs(
  clock: Clock,
  sync: (uid: string) => void,
  isUnstable: (uid: string) => boolean,
  onFailure: (uid: string, error: unknown) => void = () => undefined,
): PacedSyncs {
  const paces = new Map<string, Pace>();
  const waiting = new Set<string>();
  const turns = createDeadlineQueue<string>(clock, (uid) => {
    waiting.delete(uid);
    try {
      request(uid);
    } catch (error) {
      // An exception in a timer would end the agent.
      onFailure(uid, error);
      wait(uid, INTERVAL_MS);
    }
  });
  const wait = (uid: string, ms: number): void => {
    waiting.add(uid);
    turns.set(uid, ms);
  };

  const request = (uid: string): void => {
    if (waiting.has(uid)) return;
    const nowMs = clock.monotonicNow();
    const { lastMs, quietMs } = paces.get(uid) ?? { lastMs: -Infinity, quietMs: nowMs };
    const fromMs = Math.max(quietMs, nowMs);
    const allowedMs = isUnstable(uid) ? lastMs + INTERVAL_MS : -Infinity;
    const waitMs = Math.max(fromMs - (BURST - 1) * INTERVAL_MS, allowedMs) - nowMs;
    if (waitMs > 0) {
      wait(uid, waitMs);
      return;
    }
    paces.set(uid, { lastMs: nowMs, quietMs: fromMs + INTERVAL_MS });
    sync(uid);
  };

  return {
    request,
    forgetQuiet() {
      const nowMs = clock.monotonicNow();
      for (const [uid, { quietMs }] of paces) if (quietMs <= nowMs) paces.delete(uid);
    },
    [Symbol.dispose]() {
      turns[Symbol.dispose]();
      waiting.clear();
    },
  };
}
