/** Lets a limited number of tasks run at the same time. */
export interface Semaphore {
  /**
   * Runs `task` when one of the places is free; those who wait come in order. Rejects with the signal's reason, without running it, when `signal`
   * aborts before its turn. What bounds the queue are its callers.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** How many tasks wait for a place. */
  readonly waiting: number;
}

/**
 * Creates a {@link Semaphore} with `places` places (`Infinity`: no limit).
 * @throws RangeError when `places` is not a whole number of at least one: nothing would ever run.
 */
export function createSemaphore(places: number): Semaphore {
  if (!(places >= 1) || (places < Infinity && !Number.isInteger(places))) {
    throw new RangeError(`a semaphore needs a whole number of at least one place, not ${String(places)}`);
  }
  let free = places;
  const queue = new Set<() => void>();

  const acquire = (signal: AbortSignal | undefined): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        queue.delete(enter);
        reject(signal?.reason as Error);
      };
      queue.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  };
  const release = (): void => {
    // A place passes directly to whoever waits longest, so that nobody can slip in between.
    const [next] = queue;
    if (next === undefined) {
      free += 1;
      return;
    }
    queue.delete(next);
    next();
  };

  return {
    async run(task, signal) {
      signal?.throwIfAborted();
      await acquire(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
    get waiting() {
      return queue.size;
    },
  };
}
