import { type Clock, DeadlineExceededError, errorMessage, LifetimeEnded, onAbort } from '@rxlet/component-base';
import { callErrorCode, type CallOptions, ServiceError, StatusCode } from '@rxlet/cri-api';

/** A pending call. */
export interface Call {
  /**
   * Aborts when the caller cancels, its deadline passes or the runtime is disposed of; the reason is the {@link ServiceError} to fail with.
   * Created on first use, because a handler that never waits does not need it.
   */
  readonly signal: AbortSignal;
}

/** A {@link Call}; disposal ends it. */
export interface OpenCall extends Call {
  /** Releases its timer and listeners. */
  end(): void;
}

/** Begins a call. Throws when it is cancelled already, or `ended`, the signal of the runtime's own life, has aborted. */
export function beginCall(clock: Clock, ended: AbortSignal, options: CallOptions | undefined): OpenCall {
  const { signal: cancelled, timeoutMs = 0 } = options ?? {};
  for (const signal of [ended, cancelled]) if (signal?.aborted) throw toServiceError(signal.reason);

  let controller: AbortController | undefined;
  let listeners: readonly Disposable[] = [];
  const expire = (): void => cancel(new DeadlineExceededError(timeoutMs));
  const cancel = (reason: Error): void => controller?.abort(toServiceError(reason));
  const deadlineMs = clock.monotonicNow() + (timeoutMs > 0 ? timeoutMs : Infinity);

  const open = (): AbortController => {
    controller = new AbortController();
    listeners = [
      onAbort(ended, cancel),
      onAbort(cancelled, cancel),
      ...(deadlineMs < Infinity ? [clock.setTimer(deadlineMs - clock.monotonicNow(), expire)] : []),
    ];
    return controller;
  };

  return {
    get signal() {
      return (controller ?? open()).signal;
    },
    end() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

/** Returns the error of a call whose signal aborted for `reason`. */
function toServiceError(reason: unknown): ServiceError {
  if (reason instanceof LifetimeEnded) return new ServiceError(StatusCode.Unavailable, 'the fake runtime has stopped');
  if (reason instanceof DeadlineExceededError) return new ServiceError(StatusCode.DeadlineExceeded, reason.message);
  return new ServiceError(callErrorCode(reason) ?? StatusCode.Canceled, errorMessage(reason), { cause: reason });
}
