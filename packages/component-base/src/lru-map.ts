/** A map that evicts the least recently used key. */
export interface LruMap<V> {
  /** Returns the value of a key, which counts as a use. */
  get(key: string): V | undefined;
  /** Sets the value of a key, which counts as a use. */
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Number of keys. */
  readonly size: number;
}

/** Creates an {@link LruMap} of at most `capacity` keys. */
export function createLruMap<V>(capacity: number): LruMap<V> {
  // A Map keeps insertion order, and a used key is inserted again, so the first key is the least recently used.
  const values = new Map<string, V>();
  const set = (key: string, value: V): void => {
    values.delete(key);
    values.set(key, value);
    if (values.size > capacity) values.delete(values.keys().next().value!);
  };
  return {
    get(key) {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key) => void values.delete(key),
    get size() {
      return values.size;
    },
  };
}
