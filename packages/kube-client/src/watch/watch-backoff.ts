import { type Clock, jitter, type Random } from '@rxlet/component-base';

/** Delays between the attempts of a watch that fails. */
export interface WatchBackoff {
  /** Returns the next delay, in milliseconds. */
  next(): number;
  /** Starts the delays again, for a server that answers again; at most once in 30 seconds. */
  reset(): void;
}

const INITIAL_MS = 800;
const MAX_MS = 30_000;
const JITTER_FACTOR = 1;
/** Time without a failure after which the delays start again. */
const RESET_MS = 120_000;

/** Creates the back-off of client-go's reflectors: 0.8 s doubling to 30 s, each longer by up to its own length. */
export function createWatchBackoff({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'monotonicNow'>;
  readonly random: Random;
}): WatchBackoff {
  let delayMs = INITIAL_MS;
  let lastMs = clock.monotonicNow();
  let resetMs = -Infinity;
  return {
    next() {
      const nowMs = clock.monotonicNow();
      if (nowMs - lastMs > RESET_MS) delayMs = INITIAL_MS;
      lastMs = nowMs;
      const current = delayMs;
      delayMs = Math.min(delayMs * 2, MAX_MS);
      return jitter(random, current, JITTER_FACTOR);
    },
    reset() {
      const nowMs = clock.monotonicNow();
      if (nowMs - resetMs < MAX_MS) return;
      resetMs = nowMs;
      delayMs = INITIAL_MS;
    },
  };
}
