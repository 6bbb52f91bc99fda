import { type Observable, Subject } from 'rxjs';

/** A stream that a test controls. */
export interface TestStream<T> {
  /** The stream, without replay. */
  readonly values$: Observable<T>;
  /** Whether the stream has a subscriber. */
  readonly isObserved: boolean;
  emit(value: T): void;
  /** Makes the stream fail. */
  fail(error: unknown): void;
  complete(): void;
}

/** Creates a {@link TestStream}. Unlike an emitter it can fail, and shows whether it has subscribers. */
export function createTestStream<T>(): TestStream<T> {
  const subject = new Subject<T>();
  return {
    values$: subject.asObservable(),
    get isObserved() {
      return subject.observed;
    },
    emit: (value) => subject.next(value),
    fail: (error) => subject.error(error),
    complete: () => subject.complete(),
  };
}
