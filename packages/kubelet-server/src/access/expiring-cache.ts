import { type Clock, createLruMap } from '@rxlet/component-base';

/** Results of calls, kept for a time that depends on the result. Calls for one key that overlap become one. */
export interface ExpiringCache<V> {
  /** Returns the result for a key: the kept one, that of a call in flight, or that of `load`. A failure is not kept. */
  get(key: string, load: () => Promise<V>): Promise<V>;
  /** Reports whether a result is kept for a key. */
  has(key: string): boolean;
}

/** Creates an {@link ExpiringCache} of at most `capacity` results. `ttlMs` returns how long a result is kept; 0: not at all. */
export function createExpiringCache<V>(clock: Clock, capacity: number, ttlMs: (value: V) => number): ExpiringCache<V> {
  const kept = createLruMap<{ readonly value: V; readonly expiresMs: number }>(capacity);
  const inFlight = new Map<string, Promise<V>>();
  const loadOnce = async (key: string, load: () => Promise<V>): Promise<V> => {
    try {
      const value = await load();
      const ttl = ttlMs(value);
      if (ttl > 0) kept.set(key, { value, expiresMs: clock.monotonicNow() + ttl });
      return value;
    } finally {
      inFlight.delete(key);
    }
  };
  const keptFor = (key: string): { readonly value: V } | undefined => {
    const entry = kept.get(key);
    return entry !== undefined && entry.expiresMs > clock.monotonicNow() ? entry : undefined;
  };
  return {
    has: (key) => keptFor(key) !== undefined,
    get(key, load) {
      const entry = keptFor(key);
      if (entry !== undefined) return Promise.resolve(entry.value);
      kept.delete(key);
      const pending = inFlight.get(key) ?? loadOnce(key, load);
      inFlight.set(key, pending);
      return pending;
    },
  };
}
