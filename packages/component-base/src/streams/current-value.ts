import { Observable } from 'rxjs';
import { createEmitter } from './emitter.ts';

/** A value that can be read and followed. */
export interface CurrentValue<T> {
  /** Current value. */
  readonly value: T;
  /** Emits the current value at subscription, then every later one; completes with the last. */
  readonly value$: Observable<T>;
}

/** The writing side of a {@link CurrentValue}. */
export interface WritableCurrentValue<T> extends CurrentValue<T> {
  set(value: T): void;
  /** Completes {@link CurrentValue.value$}; the value stays as it is. */
  complete(): void;
}

/**
 * Creates a {@link CurrentValue}.
 *
 * @example
 * ```ts
 * import { createCurrentValue } from '@rxlet/component-base/streams';
 *
 * const isReady = createCurrentValue(false);
 * isReady.value$.subscribe({ next: (value) => console.log(value), error: console.error }); // false, then true
 * isReady.set(true);
 * ```
 */
export function createCurrentValue<T>(initial: T): WritableCurrentValue<T> {
  const emitter = createEmitter<T>();
  let value = initial;
  let isComplete = false;
  return {
    get value() {
      return value;
    },
    value$: currentThenChanges(() => [value], emitter.values$),
    set(next) {
      if (isComplete) return;
      value = next;
      emitter.emit(next);
    },
    complete() {
      isComplete = true;
      emitter.complete();
    },
  };
}

/**
 * Emits the result of `current` at subscription, then every later change. No change is missed or repeated, provided that `changes$` comes from an emitter
 * (`createEmitter`) and the state changes before the change is emitted.
 *
 * A collection returns its content as changes: `currentThenChanges(() => pods.list().map(added), pods.changes$)`.
 */
export function currentThenChanges<T>(current: () => Iterable<T>, changes$: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    // Buffers changes, and completion, that reading the current state causes.
    let later: (() => void)[] | undefined = [];
    const inOrder = (deliver: () => void): void => {
      if (later === undefined) deliver();
      else later.push(deliver);
    };
    subscriber.add(
      changes$.subscribe({
        next: (change) => inOrder(() => subscriber.next(change)),
        error: (error: unknown) => inOrder(() => subscriber.error(error)),
        complete: () => inOrder(() => subscriber.complete()),
      }),
    );
    // Read eagerly: a lazy iterable could show changes that are delivered as well.
    for (const value of [...current()]) subscriber.next(value);
    for (let next = later.shift(); next !== undefined; next = later.shift()) next();
    later = undefined;
  });
}
