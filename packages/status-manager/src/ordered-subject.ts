import { type Observable, Subject } from 'rxjs';

/** A hot stream in whose values all subscribers see the same order, even when one of them causes a further value while it takes one. */
export interface OrderedSubject<T> {
  readonly values$: Observable<T>;
  next(value: T): void;
  complete(): void;
}

/** Creates an {@link OrderedSubject}. Its queue holds only what is caused during a single emission. */
export function createOrderedSubject<T>(): OrderedSubject<T> {
  const subject = new Subject<T>();
  const queue: T[] = [];
  let emitting = false;
  return {
    values$: subject.asObservable(),
    next(value) {
      queue.push(value);
      if (emitting) return;
      emitting = true;
      for (let first = queue.shift(); first !== undefined; first = queue.shift()) subject.next(first);
      emitting = false;
    },
    complete: () => subject.complete(),
  };
}
