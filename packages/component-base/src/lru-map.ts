/** A map that forgets what was not used for longest. */
export interface LruMap<V> {
  /** The value of a key, which counts as a use of it. */
  get(key: string): V | undefined;
  /** Sets the value of a key, which counts as a use of it. */
  set(key: string, value: V): void;
  delete(key: string): void;
  /** How many keys there are. */
  readonly size: number;
}

/** Creates an {@link LruMap} of at most `capacity` keys. */
export function createLruMap<V>(capacity: number): LruMap<V> {
  // A Map keeps the order of insertion; a key that is used is inserted anew, so the first one is always the one to forget.
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
