import { onAbort } from './abort.ts';
/** Lets a limited number of tasks run at the same time. */
export interface Semaphore {
  /**
   * Runs `task` once a permit is free; waiting tasks run in order. Rejects with the signal's reason, without running `task`, when `signal` aborts first. Callers
   * bound the queue.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Number of tasks that wait for a permit. */
  readonly waiting: number;
}

/**
 * Creates a {@link Semaphore} with `permits` permits (`Infinity`: no limit).
 * @throws RangeError when `permits` is not a whole number of at least one
 */
export function createSemaphore(permits: number): Semaphore {
  if (!(permits >= 1) || (permits < Infinity && !Number.isInteger(permits))) {
    throw new RangeError(
      `cannot create a semaphore: permits must be a whole number of at least one, not ${String(permits)}`,
    );
  }
  let available = permits;
  const queue = new Set<() => void>();

  const acquire = (signal: AbortSignal | undefined): Promise<void> | undefined => {
    if (available > 0) {
      available -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        listener[Symbol.dispose]();
        resolve();
      };
      queue.add(enter);
      const listener = onAbort(signal, (reason) => {
        queue.delete(enter);
        reject(reason);
      });
    });
  };
  const release = (): void => {
    // A permit passes directly to the longest waiter, so that no later caller can take it.
    const [next] = queue;
    if (next === undefined) {
      available += 1;
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
