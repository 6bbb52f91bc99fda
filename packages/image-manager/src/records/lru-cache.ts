/** Keeps what was used last, up to a number of entries. */
export interface LruCache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  readonly size: number;
}

/** Creates an {@link LruCache} for `capacity` entries. */
export function createLruCache<T>(capacity: number): LruCache<T> {
  // A Map keeps the order of insertion, and every use inserts anew: the first key is the one that was not used for longest.
  const entries = new Map<string, T>();
  const put = (key: string, value: T): void => {
    entries.delete(key);
    entries.set(key, value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set(key, value) {
      put(key, value);
      if (entries.size > capacity) entries.delete(entries.keys().next().value!);
    },
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size;
    },
  };
}
