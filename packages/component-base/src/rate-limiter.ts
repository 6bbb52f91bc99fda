import type { Clock } from './clock.ts';

/** A token bucket. */
export interface RateLimiter {
  /** Takes a token without waiting. @returns whether one was available */
  tryAcquire(): boolean;
}

/**
 * Creates a token bucket that holds at most `burst` tokens (initially full) and gains `perSecond` tokens a second of the clock's monotonic time. `perSecond` of `0`
 * or less means no limit, as for the kubelet's `registryPullQPS`. With a limit, a `burst` below `1` grants nothing.
 */
export function createRateLimiter(clock: Pick<Clock, 'monotonicNow'>, perSecond: number, burst: number): RateLimiter {
  if (perSecond <= 0) return { tryAcquire: () => true };
  let tokens = burst;
  let updatedMs = clock.monotonicNow();
  return {
    tryAcquire() {
      const nowMs = clock.monotonicNow();
      const available = Math.min(burst, tokens + ((nowMs - updatedMs) / 1000) * perSecond);
      // A rejected attempt changes no state: many small additions would lose the last fraction of a token to rounding.
      if (available < 1) return false;
      tokens = available - 1;
      updatedMs = nowMs;
      return true;
    },
  };
}
