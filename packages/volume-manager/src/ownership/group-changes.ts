import { type Clock, DeadlineExceededError, withDeadline } from '@rxlet/component-base';

/** Changes of the group of volumes. One of many files may take longer than a pod waits for its volumes, and must not begin again each time. Disposal cancels all. */
export interface GroupChanges extends AsyncDisposable {
  /**
   * Runs a change of a volume, or waits for the one that runs. It continues after the deadline of its caller, and the next call for the volume has its outcome. It is
   * cancelled when the signal aborts for another reason.
   */
  run(path: string, signal: AbortSignal | undefined, change: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Cancels the changes at a path and below. Resolves when they have ended. */
  cancel(path: string): Promise<void>;
}

/** A change that runs, or that ended while no caller waited for it. */
interface GroupChange {
  readonly controller: AbortController;
  readonly outcome: Promise<void>;
}

/** Creates {@link GroupChanges}. */
export function createGroupChanges(clock: Clock): GroupChanges {
  const changes = new Map<string, GroupChange>();

  const begin = (path: string, change: (signal: AbortSignal) => Promise<void>): GroupChange => {
    const controller = new AbortController();
    const begun = { controller, outcome: change(controller.signal) };
    changes.set(path, begun);
    // The next caller may come later.
    begun.outcome.catch(() => undefined);
    return begun;
  };
  const cancelOne = async (path: string, { controller, outcome }: GroupChange, reason?: unknown): Promise<void> => {
    controller.abort(reason);
    await outcome.catch(() => undefined);
    changes.delete(path);
  };
  const cancelAll = async (isWanted: (path: string) => boolean): Promise<void> => {
    const cancelled = [...changes].filter(([path]) => isWanted(path));
    await Promise.all(cancelled.map(([path, change]) => cancelOne(path, change)));
  };

  return {
    async run(path, signal, change) {
      signal?.throwIfAborted();
      const running = changes.get(path) ?? begin(path, change);
      try {
        await withDeadline(clock, Infinity, signal, () => running.outcome);
      } catch (error) {
        if (signal?.aborted !== true) changes.delete(path);
        else if (!(signal.reason instanceof DeadlineExceededError)) await cancelOne(path, running, signal.reason);
        throw error;
      }
      changes.delete(path);
    },
    cancel: (path) => cancelAll((one) => one === path || one.startsWith(`${path}/`)),
    [Symbol.asyncDispose]: () => cancelAll(() => true),
  };
}
