import { onAbort, type Timer } from '@rxlet/component-base';
import type { Context } from '../context.ts';

/**
 * Timeout of calls in flight that create or start something, from the moment at which the agent begins to stop. Such calls take some hundred milliseconds, on a
 * busy node seconds; a longer timeout would exceed the stop timeout of service managers.
 */
export const FINISH_SENT_CALLS_MS = 5_000;

/**
 * Makes a call that creates or starts something in the runtime, and completes it even if `signal` aborts. A runtime rolls back a cancelled call, which fails a
 * container that was being started, and leaks network resources in the middle of a CNI ADD. An abort of `signal` therefore only keeps the call from being made,
 * and a call in flight is cancelled {@link FINISH_SENT_CALLS_MS} after the agent began to stop. Its result is then found by the next sync, by the pod's
 * termination, or by the next agent.
 */
export async function finishSentCall<T>(
  { clock, stopping }: Pick<Context, 'clock' | 'stopping'>,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  stopping.throwIfAborted();
  const cancellation = new AbortController();
  let timer: Timer | undefined;
  using _listener = onAbort(stopping, (reason) => {
    timer = clock.setTimer(FINISH_SENT_CALLS_MS, () => cancellation.abort(reason));
  });
  try {
    return await call(cancellation.signal);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
