import { type Clock, onAbort } from '@rxlet/component-base';

/** Lets requests pass at a limited rate, in the order of their calls. */
export interface RequestPacer {
  /** Resolves when it is the caller's turn; rejects with the reason of the signal, which gives the turn to the next one. */
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
  const capacity = Math.max(burst, 1);
  const queue = new Set<() => void>();
  let tokens = capacity;
  let updatedMs = clock.monotonicNow();
  let timer: Disposable | undefined;

  const refill = (): void => {
    const nowMs = clock.monotonicNow();
    tokens = Math.min(capacity, tokens + ((nowMs - updatedMs) / 1000) * perSecond);
    updatedMs = nowMs;
  };
  /** Lets those pass whose turn it is, and waits for the next token. */
  const serve = (): void => {
    timer = undefined;
    refill();
    for (const pass of queue) {
      if (tokens < 1 - ROUNDING) break;
      queue.delete(pass);
      tokens -= 1;
      pass();
    }
    if (queue.size > 0) timer = clock.setTimer(Math.max(((1 - tokens) / perSecond) * 1000, 0), serve);
  };

  return {
    async wait(signal) {
      signal.throwIfAborted();
      refill();
      if (queue.size === 0 && tokens >= 1 - ROUNDING) {
        tokens -= 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const pass = (): void => {
          listener[Symbol.dispose]();
          resolve();
        };
        const listener = onAbort(signal, (reason) => {
          queue.delete(pass);
          if (queue.size === 0) {
            timer?.[Symbol.dispose]();
            timer = undefined;
          }
          reject(reason);
        });
        queue.add(pass);
        if (timer === undefined) serve();
      });
    },
  };
}

/** Many small additions lose the last fraction of a token. */
const ROUNDING = 1e-6;
