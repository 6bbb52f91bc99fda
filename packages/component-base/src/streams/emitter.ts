import { Observable, type Subscriber } from 'rxjs';

/** The writing side of a hot stream. */
export interface Emitter<T> {
  /**
   * The stream, without replay. Every subscriber gets exactly the values emitted after it subscribed, in the order of emission. This also holds for values that a
   * subscriber emits while it handles one, and for subscriptions made at that time.
   */
  readonly values$: Observable<T>;
  /** Emits a value. During another emission, the value waits until all subscribers have handled the current one. */
  emit(value: T): void;
  /** Completes the stream after the values emitted so far. Later values are dropped. */
  complete(): void;
}

/**
 * Creates an {@link Emitter}.
 *
 * Change the state first, then emit: a subscriber that reads the state in the same turn as it subscribes misses nothing and sees nothing twice. The queue
 * holds only values emitted during a single emission.
 *
 * @example
 * ```ts
 * import { createEmitter } from '@rxlet/component-base/streams';
 *
 * const changed = createEmitter<string>();
 * changed.values$.subscribe({ next: (name) => console.log(name), error: console.error });
 * changed.emit('web');
 * ```
 */
export function createEmitter<T>(): Emitter<T> {
  /** Order of the last value emitted before each subscription. */
  const subscribers = new Map<Subscriber<T>, number>();
  const queue: { readonly value: T; readonly order: number }[] = [];
  let lastOrder = 0;
  let isEmitting = false;
  let isComplete = false;

  const finish = (): void => {
    const left = [...subscribers.keys()];
    subscribers.clear();
    for (const subscriber of left) subscriber.complete();
  };
  const drain = (): void => {
    isEmitting = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { value, order } = next;
      // A subscriber added during the loop comes last in the map, and its order excludes this value.
      for (const [subscriber, joined] of subscribers) if (joined < order) subscriber.next(value);
    }
    isEmitting = false;
    if (isComplete) finish();
  };

  return {
    values$: new Observable((subscriber) => {
      if (isComplete) {
        subscriber.complete();
        return undefined;
      }
      subscribers.set(subscriber, lastOrder);
      return () => void subscribers.delete(subscriber);
    }),
    emit(value) {
      if (isComplete) return;
      lastOrder += 1;
      if (subscribers.size === 0) return;
      queue.push({ value, order: lastOrder });
      if (!isEmitting) drain();
    },
    complete() {
      if (isComplete) return;
      isComplete = true;
      if (!isEmitting) finish();
    },
  };
}
