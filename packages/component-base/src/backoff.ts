/** Options of {@link createBackoff}. */
export interface BackoffOptions {
  /** Delay after the first failure of a key. */
  initialMs: number;
  /** Longest delay; it also caps `initialMs`. */
  maxMs: number;
  /** Time without a failure after which a key starts again from the initial delay. Default: twice `maxMs`. */
  expiryMs?: number;
}

/**
 * Exponential back-off per key, with the semantics that the kubelet uses for crash loops and image pulls (client-go's `flowcontrol.Backoff`). Every failure doubles
 * the delay of its key up to a maximum. A key without failures for long enough is removed. All times are arguments, and there is no timer.
 *
 * Pass times of the monotonic clock. On a wall clock that is set back, a block still ends after its own delay: a failure recorded in the future counts as recorded
 * at the next call.
 *
 * There are two kinds of delay. A failed call, such as an image pull, is blocked from the time at which it was recorded: {@link Backoff.blockedUntilMs}. A container
 * is blocked for {@link Backoff.delayMs} from its exit. Its restart is recorded with both times, so that only its run time, without the wait before, counts towards
 * the expiry.
 */
export interface Backoff {
  /**
   * Records a failure of `key` at `eventMs` and doubles its delay. The delay starts again from the initial one when the previous record is older than the expiry.
   *
   * @param nowMs time of the record. Default: `eventMs`
   * @returns the delay that now applies, in milliseconds
   */
  next(key: string, eventMs: number, nowMs?: number): number;
  /** Returns the delay that applies to a failure of `key` at `eventMs`, in milliseconds; `0` for a key that is unknown or has expired by then. */
  delayMs(key: string, eventMs: number): number;
  /** Returns the end of the delay since the last failure of `key` was recorded; `undefined` when it has ended by `nowMs`. */
  blockedUntilMs(key: string, nowMs: number): number | undefined;
  /** Removes `key`. */
  reset(key: string): void;
  /** Removes keys that have expired by `nowMs`. Call it regularly: nothing else bounds the number of keys. */
  collectGarbage(nowMs: number): void;
  /** Number of keys. */
  readonly size: number;
}

interface Entry {
  readonly delayMs: number;
  readonly recordedMs: number;
}

/**
 * Creates a {@link Backoff}.
 *
 * @example
 * ```ts
 * import { createBackoff, systemClock } from '@rxlet/component-base';
 *
 * const backoff = createBackoff({ initialMs: 10_000, maxMs: 300_000 });
 * const delayMs = backoff.next('web', systemClock.now());
 * ```
 */
export function createBackoff(options: BackoffOptions): Backoff {
  const { initialMs, maxMs, expiryMs = 2 * maxMs } = options;
  const entries = new Map<string, Entry>();
  const expired = (entry: Entry, atMs: number): boolean => atMs - entry.recordedMs > expiryMs;
  const liveEntry = (key: string, atMs: number): Entry | undefined => {
    const entry = entries.get(key);
    return entry === undefined || expired(entry, atMs) ? undefined : entry;
  };
  const notFuture = (key: string, nowMs: number): Entry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.recordedMs <= nowMs) return entry;
    const moved = { ...entry, recordedMs: nowMs };
    entries.set(key, moved);
    return moved;
  };
  return {
    next(key, eventMs, nowMs = eventMs) {
      const entry = liveEntry(key, eventMs);
      const delayMs = Math.min(entry === undefined ? initialMs : entry.delayMs * 2, maxMs);
      entries.set(key, { delayMs, recordedMs: nowMs });
      return delayMs;
    },
    delayMs: (key, eventMs) => liveEntry(key, eventMs)?.delayMs ?? 0,
    blockedUntilMs(key, nowMs) {
      const entry = notFuture(key, nowMs);
      if (entry === undefined || expired(entry, nowMs)) return undefined;
      const untilMs = entry.recordedMs + entry.delayMs;
      return nowMs < untilMs ? untilMs : undefined;
    },
    reset: (key) => void entries.delete(key),
    collectGarbage(nowMs) {
      for (const key of entries.keys()) {
        const entry = notFuture(key, nowMs);
        if (entry !== undefined && expired(entry, nowMs)) entries.delete(key);
      }
    },
    get size() {
      return entries.size;
    },
  };
}
