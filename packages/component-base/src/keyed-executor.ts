/** Runs the tasks of each key one after another, and tasks of different keys concurrently. */
export interface KeyedExecutor {
  /** Runs `task` after all earlier tasks of `key` have ended, whether they failed or not. Callers bound the queue of a key: await the result before adding more. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is running or waiting. */
  idle(): Promise<void>;
  /** Number of keys with a running or waiting task. */
  readonly size: number;
}

/**
 * Creates a {@link KeyedExecutor}.
 *
 * @example
 * ```ts
 * import { createKeyedExecutor } from '@rxlet/component-base';
 *
 * const executor = createKeyedExecutor();
 * for (const step of ['create', 'start']) void executor.run('web', async () => console.log(step)); // in this order
 * await executor.idle();
 * ```
 */
export function createKeyedExecutor(): KeyedExecutor {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const result = (tails.get(key) ?? Promise.resolve()).then(task);
      const tail = result.catch(() => undefined);
      tails.set(key, tail);
      try {
        return await result;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
    get size() {
      return tails.size;
    },
  };
}
