import { type Clock, createBackoff } from '@rxlet/component-base';
import type { CredentialsDigest } from './pull-credentials-digest.ts';

/** Delays until a failed pull is retried. */
export interface PullBackoffOptions {
  /** Delay after the first failure; it doubles with each further one. Default: 10 s. */
  readonly backoffInitialMs?: number;
  /** Longest delay. Default: 300 s. A key without a failure for twice that starts again. */
  readonly backoffMaxMs?: number;
}

/** A pull in its back-off. */
export interface BlockedPull {
  /** End of the back-off by the current wall clock, in epoch milliseconds. */
  readonly untilMs: number;
  /** Last failure: the cause of the back-off. */
  readonly lastFailure: string;
}

/** Back-off per pod and image, with the failure and the digest of the credentials. */
export interface PullBackoff {
  /**
   * Returns the back-off of `key`, if there is one. Changed credentials end it: at once if a pull secret was changed, else no sooner than the initial delay
   * after the failure, since a credential provider may return new ones at each request.
   */
  blocked(key: string, credentials: CredentialsDigest): BlockedPull | undefined;
  /** Records a failure. @returns the end of the back-off by the current wall clock, in epoch milliseconds */
  failed(key: string, failure: string, credentials: CredentialsDigest): number;
}

interface LastFailure {
  readonly text: string;
  readonly atMs: number;
  readonly credentials: CredentialsDigest;
}

/** Creates a {@link PullBackoff}. It uses the monotonic clock. Expired entries are removed at the next failure. */
export function createPullBackoff(
  clock: Clock,
  { backoffInitialMs = 10_000, backoffMaxMs = 300_000 }: PullBackoffOptions,
): PullBackoff {
  const backoff = createBackoff({ initialMs: backoffInitialMs, maxMs: backoffMaxMs });
  const lastFailures = new Map<string, LastFailure>();
  const forgetExpired = (nowMs: number): void => {
    backoff.collectGarbage(nowMs);
    for (const key of lastFailures.keys()) if (backoff.delayMs(key, nowMs) === 0) lastFailures.delete(key);
  };
  const isOutdated = (last: LastFailure, { secrets, others }: CredentialsDigest, nowMs: number): boolean => {
    if (secrets !== last.credentials.secrets) return true;
    return others !== last.credentials.others && nowMs - last.atMs >= backoffInitialMs;
  };
  return {
    blocked(key, credentials) {
      const nowMs = clock.monotonicNow();
      const untilMs = backoff.blockedUntilMs(key, nowMs);
      if (untilMs === undefined) return undefined;
      const last = lastFailures.get(key);
      if (last !== undefined && isOutdated(last, credentials, nowMs)) {
        backoff.reset(key);
        return undefined;
      }
      return { untilMs: clock.now() + untilMs - nowMs, lastFailure: last?.text ?? '' };
    },
    failed(key, failure, credentials) {
      const nowMs = clock.monotonicNow();
      forgetExpired(nowMs);
      lastFailures.set(key, { text: failure, atMs: nowMs, credentials });
      return clock.now() + backoff.next(key, nowMs);
    },
  };
}
