import type { Clock, Timer } from '@rxlet/component-base';

/**
 * For how long a call that makes or starts something may go on after its sync was aborted. Creations and starts take some hundred milliseconds; on a node that
 * is busy with many of them, seconds. More would keep an agent that is told to stop beyond the patience of whoever told it, and a pod that is to end from ending.
 */
export const FINISH_SENT_CALLS_MS = 5_000;

/**
 * Makes a call that makes or starts something in the runtime, and is not to be cut in the middle: a runtime that is told that nobody waits any more takes back what
 * it has done so far, and a container whose start was taken back has failed. So an abort of `signal` cancels the call only {@link FINISH_SENT_CALLS_MS} later; what
 * the call was for is then there, for the next sync, the end of the pod, or the next agent. Nothing is called after the abort.
 */
export async function finishSentCall<T>(
  clock: Clock,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return call(undefined);
  signal.throwIfAborted();
  const late = new AbortController();
  let timer: Timer | undefined;
  const onAbort = (): void => {
    timer = clock.setTimer(FINISH_SENT_CALLS_MS, () => late.abort(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await call(late.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    timer?.[Symbol.dispose]();
  }
}
