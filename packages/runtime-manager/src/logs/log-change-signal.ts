import type { Clock } from '@rxlet/component-base';
import type { LogFiles } from './log-files.ts';

const POLL_MS = 1000;

/** Wakes a reader that waits for more. */
export interface ChangeSignal extends Disposable {
  /** Resolves at the next change, if there was none since the last call, and after a second at the latest. */
  next(signal: AbortSignal | undefined): Promise<void>;
}

/** Creates the signal for one file; disposing it ends the watch. */
export function createChangeSignal(files: LogFiles, clock: Clock, path: string): ChangeSignal {
  let wake = Promise.withResolvers<void>();
  const watch = files.watch?.(path, () => wake.resolve());
  return {
    async next(signal) {
      signal?.throwIfAborted();
      const timer = clock.setTimer(POLL_MS, () => wake.resolve());
      const onAbort = (): void => wake.reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        await wake.promise;
      } finally {
        timer[Symbol.dispose]();
        signal?.removeEventListener('abort', onAbort);
        wake = Promise.withResolvers<void>();
      }
    },
    [Symbol.dispose]: () => watch?.[Symbol.dispose](),
  };
}
