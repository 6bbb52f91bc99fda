import { type Clock, createKeyedExecutor, withDeadline } from '@rxlet/component-base';

/** Runs the work on each directory or device of the node in turn. */
export interface Turns {
  /** Runs work after the earlier work of the key. A wait ends when the signal aborts; work that has begun ends by itself. */
  run(key: string, signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void>;
}

/** Creates {@link Turns}. */
export function createTurns(clock: Clock): Turns {
  const executor = createKeyedExecutor();
  return {
    async run(key, signal, work) {
      signal?.throwIfAborted();
      let hasBegun = false;
      const turn = executor.run(key, async () => {
        signal?.throwIfAborted();
        hasBegun = true;
        await work();
      });
      try {
        await withDeadline(clock, Infinity, signal, () => turn);
      } catch (error) {
        if (!hasBegun) throw error;
        await turn;
      }
    },
  };
}
