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
  if (!signal.aborted) return (sharedListeners.get(signal) ?? new SharedListeners(signal)).add(listener);
  listener(signal.reason as Error);
  return NO_LISTENER;
}

/** Listeners of a signal that has aborted already, or of none. */
const NO_LISTENER: Disposable = { [Symbol.dispose]: () => undefined };
const ONCE = { once: true };

/** Thousands of tasks may wait on the signal of one subsystem, and a signal looks through all of its listeners for each one that is added or removed: it gets one. */
const sharedListeners = new WeakMap<AbortSignal, SharedListeners>();

class SharedListeners {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<AbortListener>();
  readonly #notify = (): void => {
    for (const one of this.#listeners) {
      this.#listeners.delete(one);
      try {
        one.listener(this.#signal.reason as Error);
      } catch (error) {
        // As with listeners of the signal itself, a throw is an uncaught exception and keeps no other from being called.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    sharedListeners.set(signal, this);
  }

  add(listener: (reason: Error) => void): AbortListener {
    if (this.#listeners.size === 0) this.#signal.addEventListener('abort', this.#notify, ONCE);
    const added = new AbortListener(this, listener);
    this.#listeners.add(added);
    return added;
  }

  remove(listener: AbortListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#signal.removeEventListener('abort', this.#notify);
  }
}

/** A class, because agents add and remove a listener with each call of a port: literals with a computed key are many times slower. */
class AbortListener implements Disposable {
  readonly #shared: SharedListeners;
  readonly listener: (reason: Error) => void;

  constructor(shared: SharedListeners, listener: (reason: Error) => void) {
    this.#shared = shared;
    this.listener = listener;
  }

  [Symbol.dispose](): void {
    this.#shared.remove(this);
  }
}

/** Settles as `work` does, or rejects with the reason of `signal` as soon as it aborts. The work itself goes on. No listener is left. */
export async function abortable<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  using _listener = onAbort(signal, reject);
  return await Promise.race([work, aborted]);
}
