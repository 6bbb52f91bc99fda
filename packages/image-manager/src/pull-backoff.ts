import { type Clock, createBackoff } from '@rxlet/component-base';

/** How long a pull that failed is not tried again. */
export interface PullBackoffOptions {
  /** After the first failure; it doubles with each further one. Default: 10 s. */
  readonly backoffInitialMs?: number;
  /** At most. Default: 300 s. A key without failure for twice that starts anew. */
  readonly backoffMaxMs?: number;
}

/** A pull that may not be tried yet. */
export interface BlockedPull {
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** What failed last, because a back-off alone tells nobody what to repair. */
  readonly lastFailure: string;
}

/** Back-off per pod and image that remembers what went wrong. */
export interface PullBackoff {
  /** Whether, and until when, the pull of `key` is blocked. */
  blocked(key: string): BlockedPull | undefined;
  /** Notes a failure. @returns until when the pull is blocked now, in epoch milliseconds. */
  failed(key: string, failure: string): number;
}

/** Creates a {@link PullBackoff}. It counts on the monotonic clock. What has expired is forgotten at the next failure. */
export function createPullBackoff(
  clock: Clock,
  { backoffInitialMs = 10_000, backoffMaxMs = 300_000 }: PullBackoffOptions,
): PullBackoff {
  const backoff = createBackoff({ initialMs: backoffInitialMs, maxMs: backoffMaxMs });
  const lastFailures = new Map<string, string>();
  const forgetExpired = (nowMs: number): void => {
    backoff.collectGarbage(nowMs);
    for (const key of lastFailures.keys()) if (backoff.delayMs(key, nowMs) === 0) lastFailures.delete(key);
  };
  return {
    blocked(key) {
      const nowMs = clock.monotonicNow();
      const untilMs = backoff.blockedUntilMs(key, nowMs);
      if (untilMs === undefined) return undefined;
      return { untilMs: clock.now() + untilMs - nowMs, lastFailure: lastFailures.get(key) ?? '' };
    },
    failed(key, failure) {
      const nowMs = clock.monotonicNow();
      forgetExpired(nowMs);
      lastFailures.set(key, failure);
      return clock.now() + backoff.next(key, nowMs);
    },
  };
}
