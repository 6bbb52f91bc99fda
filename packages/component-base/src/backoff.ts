/** Options of {@link createBackoff}. */
export interface BackoffOptions {
  /** Delay after the first failure of a key. */
  initialMs: number;
  /** Longest delay; it also cuts `initialMs`. */
  maxMs: number;
  /** A key whose next failure comes later than this after the last one was noted starts anew. Default: twice `maxMs`. */
  expiryMs?: number;
}

/**
 * Exponential back-off per key, with the semantics that the kubelet uses for crash loops and image pulls (client-go's `flowcontrol.Backoff`): every
 * failure doubles the delay of its key up to a maximum, and a key that stayed well long enough is forgotten. It takes all times as arguments, in
 * milliseconds of whichever clock its caller keeps to, and holds no timer.
 *
 * There are two ways to ask. A failed call, such as an image pull, is blocked for the delay from when it was noted: {@link Backoff.blockedUntilMs}.
 * A container is blocked for {@link Backoff.delayMs} from when it exited; its restart is noted with both times, so that what counts as well is the time
 * that it ran, without the wait before.
 */
export interface Backoff {
  /**
   * Notes, at `nowMs` (default: `eventMs`), a failure of `key` that happened at `eventMs`, and doubles its delay. It starts anew when the failure
   * happened longer than the expiry after the last one was noted. @returns the delay that now applies, in milliseconds.
   */
  next(key: string, eventMs: number, nowMs?: number): number;
  /** The delay that applies to a failure of `key` at `eventMs`, in milliseconds; `0` for a key that is unknown or has expired by then. */
  delayMs(key: string, eventMs: number): number;
  /** When the delay that began as the last failure of `key` was noted ends; `undefined` when it has ended by `nowMs`. */
  blockedUntilMs(key: string, nowMs: number): number | undefined;
  /** Forgets `key`. */
  reset(key: string): void;
  /** Forgets what has expired by `nowMs`. Call it now and then: the number of keys is bounded only by this. */
  collectGarbage(nowMs: number): void;
  /** How many keys are known. */
  readonly size: number;
}

interface Entry {
  readonly delayMs: number;
  readonly notedMs: number;
}

/** Creates a {@link Backoff}. */
export function createBackoff(options: BackoffOptions): Backoff {
  const { initialMs, maxMs, expiryMs = 2 * maxMs } = options;
  const entries = new Map<string, Entry>();
  const expired = (entry: Entry, atMs: number): boolean => atMs - entry.notedMs > expiryMs;
  const liveEntry = (key: string, atMs: number): Entry | undefined => {
    const entry = entries.get(key);
    return entry === undefined || expired(entry, atMs) ? undefined : entry;
  };
  return {
    next(key, eventMs, nowMs = eventMs) {
      const entry = liveEntry(key, eventMs);
      const delayMs = Math.min(entry === undefined ? initialMs : entry.delayMs * 2, maxMs);
      entries.set(key, { delayMs, notedMs: nowMs });
      return delayMs;
    },
    delayMs: (key, eventMs) => liveEntry(key, eventMs)?.delayMs ?? 0,
    blockedUntilMs(key, nowMs) {
      const entry = liveEntry(key, nowMs);
      if (entry === undefined) return undefined;
      const untilMs = entry.notedMs + entry.delayMs;
      return nowMs < untilMs ? untilMs : undefined;
    },
    reset: (key) => void entries.delete(key),
    collectGarbage(nowMs) {
      for (const [key, entry] of entries) if (expired(entry, nowMs)) entries.delete(key);
    },
    get size() {
      return entries.size;
    },
  };
}
