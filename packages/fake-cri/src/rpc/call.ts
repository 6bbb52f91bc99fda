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
  if (ended.aborted) throw toServiceError(ended.reason);
  if (options?.signal?.aborted === true) throw toServiceError(options.signal.reason);
  return new PendingCall(clock, ended, options);
}

/** A class, because there are thousands of calls a second of a test: literals with accessors are slow. */
class PendingCall implements OpenCall {
  readonly #clock: Clock;
  readonly #ended: AbortSignal;
  readonly #cancelled: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #beganMs: number;
  #controller: AbortController | undefined;
  #listeners: readonly Disposable[] = [];

  constructor(clock: Clock, ended: AbortSignal, options: CallOptions | undefined) {
    this.#clock = clock;
    this.#ended = ended;
    this.#cancelled = options?.signal;
    this.#timeoutMs = options?.timeoutMs ?? 0;
    this.#beganMs = clock.monotonicNow();
  }

  get signal(): AbortSignal {
    return (this.#controller ?? this.#open()).signal;
  }

  end(): void {
    for (const listener of this.#listeners) listener[Symbol.dispose]();
  }

  #open(): AbortController {
    const controller = new AbortController();
    const cancel = (reason: Error): void => controller.abort(toServiceError(reason));
    this.#controller = controller;
    this.#listeners = [onAbort(this.#ended, cancel), onAbort(this.#cancelled, cancel)];
    const timeoutMs = this.#timeoutMs;
    if (!(timeoutMs > 0 && timeoutMs < Infinity)) return controller;
    const leftMs = this.#beganMs + timeoutMs - this.#clock.monotonicNow();
    const timer = this.#clock.setTimer(leftMs, () => cancel(new DeadlineExceededError(timeoutMs)));
    this.#listeners = [...this.#listeners, timer];
    return controller;
  }
}

/** Returns the error of a call whose signal aborted for `reason`. */
function toServiceError(reason: unknown): ServiceError {
  if (reason instanceof LifetimeEnded) return new ServiceError(StatusCode.Unavailable, 'the fake runtime has stopped');
  if (reason instanceof DeadlineExceededError) return new ServiceError(StatusCode.DeadlineExceeded, reason.message);
  return new ServiceError(callErrorCode(reason) ?? StatusCode.Canceled, errorMessage(reason), { cause: reason });
}
