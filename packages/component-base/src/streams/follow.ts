import { config, type Observable, type Subscription } from 'rxjs';
import { errorMessage } from '../error-message.ts';
import type { Logger } from '../logger.ts';

/** A subscriber whose failures are logged. */
export interface Follower<T> {
  /** Name of the work in log messages, such as `handling pods of a source`. */
  readonly task: string;
  readonly logger: Pick<Logger, 'error'>;
  /** Handles a value. An exception is logged, and the next value is handled. */
  next?(value: T): void;
  /** Handles the failure of the stream. Default: log it. */
  error?(error: unknown): void;
  complete?(): void;
}

/**
 * Subscribes to a stream. A failure of the stream or an exception of a handler is logged, and ends neither the process nor the subscription. All side effects of a
 * stream belong in such a subscriber.
 */
export function follow<T>(stream$: Observable<T>, follower: Follower<T>): Subscription {
  const { task, logger } = follower;
  const guarded = (handle: () => void): void => {
    try {
      handle();
    } catch (error) {
      logger.error(`${task} failed`, { error: errorMessage(error) });
    }
  };
  return stream$.subscribe({
    next: (value) => guarded(() => follower.next?.(value)),
    error(error: unknown) {
      if (follower.error === undefined)
        logger.error(`${task} ended: the stream failed`, { error: errorMessage(error) });
      else guarded(() => follower.error?.(error));
    },
    complete: () => guarded(() => follower.complete?.()),
  });
}

/**
 * Logs exceptions of unguarded subscribers in the whole process. Without it, RxJS rethrows them asynchronously, which ends the process. For applications, whose
 * public streams have foreign subscribers. Disposal restores the previous handler.
 */
export function logUnhandledStreamErrors(logger: Pick<Logger, 'error'>): Disposable {
  const previous = config.onUnhandledError;
  const handler = (error: unknown): void =>
    logger.error('handling a value of a stream failed', { error: errorMessage(error) });
  config.onUnhandledError = handler;
  return {
    [Symbol.dispose]() {
      if (config.onUnhandledError === handler) config.onUnhandledError = previous;
    },
  };
}
