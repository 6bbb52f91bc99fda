import { type Clock, createBackoff } from '@rxlet/component-base';
import type { CredentialsDigest } from './pull-credentials-digest.ts';

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

/** Back-off per pod and image that remembers what went wrong, and with which credentials. */
export interface PullBackoff {
  /**
   * Whether, and until when, the pull of `key` is blocked. Other credentials than those that failed end the back-off: at once if a pull secret was changed;
   * no sooner than the initial delay after the failure if they are others, since a credential provider may give new ones at each request.
   */
  blocked(key: string, credentials: CredentialsDigest): BlockedPull | undefined;
  /** Notes a failure. @returns until when the pull is blocked now, in epoch milliseconds. */
  failed(key: string, failure: string, credentials: CredentialsDigest): number;
}

interface LastFailure {
  readonly text: string;
  readonly atMs: number;
  readonly credentials: CredentialsDigest;
}

/** Creates a {@link PullBackoff}. It counts on the monotonic clock. What has expired is forgotten at the next failure. */
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
