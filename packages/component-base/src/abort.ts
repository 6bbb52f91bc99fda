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
  if (signal === undefined) return NO_LISTENER;
  if (!signal.aborted) return new AbortListener(signal, listener);
  listener(signal.reason as Error);
  return NO_LISTENER;
}

/** Listeners of a signal that has aborted already, or of none. */
const NO_LISTENER: Disposable = { [Symbol.dispose]: () => undefined };
const ONCE = { once: true };

/** A class, because agents add and remove a listener with each call of a port: literals with a computed key are many times slower. */
class AbortListener implements Disposable {
  readonly #signal: AbortSignal;
  readonly #notify: () => void;

  constructor(signal: AbortSignal, listener: (reason: Error) => void) {
    this.#signal = signal;
    this.#notify = () => listener(signal.reason as Error);
    signal.addEventListener('abort', this.#notify, ONCE);
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#notify);
  }
}

/** Settles as `work` does, or rejects with the reason of `signal` as soon as it aborts. The work itself goes on. No listener is left. */
export async function abortable<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  using _listener = onAbort(signal, reject);
  return await Promise.race([work, aborted]);
}
