import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';

/** Abort reason of {@link withDeadline} at the deadline. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  /** Timeout, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no answer within ${String(timeoutMs)} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Runs `task` with a signal that aborts after `timeoutMs` (reason {@link DeadlineExceededError}) or when `signal` does. Rejects at that moment even if the task ignores
 * its signal, and leaves no timer and no listener. `Infinity` means no deadline; `0` or less expires with the clock's next timer.
 */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let isEnded = false;
  const abort = (reason: Error): void => {
    controller.abort(reason);
    // A task that rejects because of its signal has the word: its error says more.
    void Promise.resolve().then(() => {
      if (!isEnded) reject(reason);
    });
  };
  // Plain `finally` and no `using` or race: ports have a deadline with each call.
  const listener = onAbort(signal, abort);
  const timer = Number.isFinite(timeoutMs)
    ? clock.setTimer(timeoutMs, () => abort(new DeadlineExceededError(timeoutMs)))
    : undefined;
  try {
    task(controller.signal).then(resolve, reject);
    return await promise;
  } finally {
    isEnded = true;
    timer?.[Symbol.dispose]();
    listener[Symbol.dispose]();
  }
}
