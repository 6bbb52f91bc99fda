import { abortable, type Clock } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';

const POLL_MS = 1000;

/** Notifies a reader of changes to its log. */
export interface ChangeSignal extends Disposable {
  /** Resolves at the next change, if there was none since the last call, and after a second at the latest. */
  next(signal: AbortSignal | undefined): Promise<void>;
}

/** Creates the signal for one file; disposing it ends the watch. */
export function createChangeSignal(files: Pick<HostFiles, 'watch'>, clock: Clock, path: string): ChangeSignal {
  let changed = Promise.withResolvers<void>();
  const watch = watchLog(files, path, () => changed.resolve());
  return {
    async next(signal) {
      signal?.throwIfAborted();
      using _timer = clock.setTimer(POLL_MS, () => changed.resolve());
      try {
        await abortable(changed.promise, signal);
      } finally {
        changed = Promise.withResolvers<void>();
      }
    },
    [Symbol.dispose]: () => watch?.[Symbol.dispose](),
  };
}

/** Watches a log; `undefined` when it cannot be watched, since the number of watches is limited and the reader looks every second anyway. */
function watchLog(files: Pick<HostFiles, 'watch'>, path: string, onChange: () => void): Disposable | undefined {
  try {
    return files.watch(path, { onChange });
  } catch {
    return undefined;
  }
}
