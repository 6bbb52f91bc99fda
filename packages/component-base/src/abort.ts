/**
 * Calls `listener` with the signal's reason when `signal` aborts; at once, before it returns, if that has happened. Disposal removes the listener. The listener must
 * not throw.
 *
 * The reason is typed as an error because rejections must be errors: abort with nothing else.
 *
 * @example
 * ```ts
 * import { connect } from 'node:net';
 * import { onAbort } from '@rxlet/component-base';
 *
 * const socket = connect('/run/example.sock');
 * using _stop = onAbort(AbortSignal.timeout(1000), () => socket.destroy());
 * ```
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: Error) => void): Disposable {
  const notify = (): void => listener(signal?.reason as Error);
  if (signal?.aborted === true) notify();
  else signal?.addEventListener('abort', notify, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', notify) };
}

/** Settles as `work` does, or rejects with the reason of `signal` as soon as it aborts. The work itself goes on. No listener is left. */
export async function abortable<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  using _listener = onAbort(signal, reject);
  return await Promise.race([work, aborted]);
}
