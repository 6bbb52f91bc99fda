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
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // Without this, a task that aborts the signal and throws synchronously would leave an unhandled rejection.
  aborted.catch(() => undefined);
  const abort = (reason: unknown): void => {
    controller.abort(reason);
    reject(reason);
  };
  using _listener = onAbort(signal, abort);
  const timer = Number.isFinite(timeoutMs)
    ? clock.setTimer(timeoutMs, () => abort(new DeadlineExceededError(timeoutMs)))
    : undefined;
  try {
    return await Promise.race([task(controller.signal), aborted]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
