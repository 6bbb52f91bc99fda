import { onAbort } from './abort.ts';

/** Values on their way to a reader that may be slow, in order. */
export interface BoundedQueue<T> extends AsyncIterableIterator<T, undefined> {
  /** Adds a value. @returns whether there was room; `false` once the queue has ended */
  push(value: T): boolean;
  /** Ends the queue after the values in it, with an error if there is one. */
  close(error?: Error): void;
  /** Ends the queue at once with an error, and drops the values in it. */
  abort(error: Error): void;
}

/** Options of {@link createBoundedQueue}. */
export interface BoundedQueueOptions<T> {
  /** Number of values that may wait for the reader. */
  readonly capacity: number;
  /** Aborts the queue with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Runs once, when the queue takes no more values: closed, aborted, or left by its reader. */
  readonly onEnd?: (queue: BoundedQueue<T>) => void;
}

/** Creates a {@link BoundedQueue}. The caller decides what a full queue means: {@link BoundedQueue.push} never waits. */
export function createBoundedQueue<T>({ capacity, signal, onEnd }: BoundedQueueOptions<T>): BoundedQueue<T> {
  let values: T[] = [];
  /** Calls of `next` that wait for a value; there are none while values wait. */
  let readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  let listener: Disposable | undefined = undefined;
  /** Result of each `next` after the last value. */
  let end: (() => Promise<IteratorResult<T, undefined>>) | undefined;

  const finish = (result: () => Promise<IteratorResult<T, undefined>>): void => {
    if (end !== undefined) return;
    end = result;
    listener?.[Symbol.dispose]();
    for (const reader of readers) reader.resolve(result());
    readers = [];
    onEnd?.(queue);
  };
  const abort = (error: Error): void => {
    values = [];
    finish(() => Promise.reject(error));
  };
  const done = (): Promise<IteratorResult<T, undefined>> => Promise.resolve({ done: true, value: undefined });

  const queue: BoundedQueue<T> = {
    push(value) {
      if (end !== undefined) return false;
      const reader = readers.shift();
      if (reader !== undefined) reader.resolve({ done: false, value });
      else if (values.length < capacity) values.push(value);
      else return false;
      return true;
    },
    close: (error) => finish(error === undefined ? done : () => Promise.reject(error)),
    abort,
    next() {
      if (values.length > 0) return Promise.resolve({ done: false, value: values.shift()! });
      if (end !== undefined) return end();
      const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
      readers.push(reader);
      return reader.promise;
    },
    return() {
      values = [];
      finish(done);
      return done();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  listener = onAbort(signal, abort);
  return queue;
}
