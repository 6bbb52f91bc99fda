import { type Clock, sleep } from '@rxlet/component-base';

/** Lets requests pass at a limited rate, in the order of their calls. */
export interface RequestPacer {
  /** Resolves when it is the caller's turn; rejects with the reason of the signal. */
  wait(signal: AbortSignal): Promise<void>;
}

/** Passes all requests at once. */
export const unpaced: RequestPacer = { wait: async (signal) => signal.throwIfAborted() };

/**
 * Creates a token bucket whose callers wait (client-go: flowcontrol.NewTokenBucketRateLimiter). It holds `burst` tokens and gains `perSecond` a second. A `perSecond` below
 * zero means no limit, as for the kubelet's heartbeats.
 */
export function createRequestPacer(clock: Clock, perSecond: number, burst: number): RequestPacer {
  if (!(perSecond > 0)) return unpaced;
  let tokens = Math.max(burst, 1);
  let updatedMs = clock.monotonicNow();
  return {
    async wait(signal) {
      signal.throwIfAborted();
      const nowMs = clock.monotonicNow();
      // Every caller takes its token at once; a negative number of tokens is the length of the queue.
      tokens = Math.min(Math.max(burst, 1), tokens + ((nowMs - updatedMs) / 1000) * perSecond) - 1;
      updatedMs = nowMs;
      if (tokens >= 0) return;
      try {
        await sleep(clock, (-tokens / perSecond) * 1000, signal);
      } catch (error) {
        tokens += 1;
        throw error;
      }
    },
  };
}
