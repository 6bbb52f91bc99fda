import { type Clock, createDeadlineQueue } from '@rxlet/component-base';

/** Asks for syncs of pods in which something happened, but never too many of one pod. */
export interface PacedSyncs extends Disposable {
  /** Something happened to a pod. It is synced at once or, if too much happened to it of late, when its turn comes. */
  request(uid: string): void;
  /** Forgets who was quiet for long enough to begin anew. */
  forgetQuiet(): void;
}

/** So much may happen to a pod in quick succession, as while it starts. */
const BURST = 30;
/** Beyond that a pod is synced once in this time: what the kubelet's relist amounts to, which looks each second. */
const INTERVAL_MS = 1_000;

/**
 * Creates {@link PacedSyncs} in front of `sync`. Where the runtime tells at once of what changed, a sync that fails and leaves something there (a sandbox
 * whose network could not be set up, say) would lead to the next one at once, and so on for ever, with all the CPU there is.
 */
export function createPacedSyncs(clock: Clock, sync: (uid: string) => void): PacedSyncs {
  /** When each pod will have made up for what happened to it, on the monotonic clock. */
  const quietMs = new Map<string, number>();
  const waiting = new Set<string>();
  const turns = createDeadlineQueue<string>(clock, (uid) => {
    waiting.delete(uid);
    request(uid);
  });

  const request = (uid: string): void => {
    if (waiting.has(uid)) return;
    const nowMs = clock.monotonicNow();
    const fromMs = Math.max(quietMs.get(uid) ?? 0, nowMs);
    const waitMs = fromMs - nowMs - (BURST - 1) * INTERVAL_MS;
    if (waitMs > 0) {
      waiting.add(uid);
      turns.set(uid, waitMs);
      return;
    }
    quietMs.set(uid, fromMs + INTERVAL_MS);
    sync(uid);
  };

  return {
    request,
    forgetQuiet() {
      const nowMs = clock.monotonicNow();
      for (const [uid, untilMs] of quietMs) if (untilMs <= nowMs) quietMs.delete(uid);
    },
    [Symbol.dispose]() {
      turns[Symbol.dispose]();
      waiting.clear();
    },
  };
}
