import type { SchedulerLike } from 'rxjs';
import { schedulerFromClock } from './clock-scheduler.ts';

/** A timer that has been set. Disposing it cancels it; after it fired that does nothing. */
export type Timer = Disposable;

/**
 * Where all time comes from. Code that takes a clock runs unchanged on real time ({@link systemClock}) and on a virtual one
 * (`VirtualClock` of `@rxlet/component-base/testing`).
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch (may carry a fraction; may jump when the host's clock is set). */
  now(): number;
  /** Milliseconds on a clock that never goes back, from an arbitrary origin: for durations and for ordering. */
  monotonicNow(): number;
  /**
   * The same clock as a scheduler for RxJS operators: `interval(1000, clock.scheduler)`. Its own `now()` never jumps
   * (see {@link schedulerFromClock}).
   */
  readonly scheduler: SchedulerLike;
  /**
   * Calls `callback` once when `delayMs` have passed (on real time, give or take the timers' resolution of 1 ms), never during this call; `Infinity`
   * means never. The callback must not throw: nobody is there to catch it.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Resolves after `delayMs` of the clock's time. Rejects with the signal's reason as soon as it aborts; no timer is left then. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason as Error);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The clock's wall time as nanoseconds, the unit of every CRI timestamp. */
export function nowNanos(clock: Clock): bigint {
  return BigInt(Math.round(clock.now() * 1000)) * 1000n;
}

/** `epochMs` as RFC 3339 in UTC, cut to whole seconds: the form of `metav1.Time`. */
export function toRfc3339(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** The longest delay that setTimeout keeps; longer ones it would turn into 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function setSystemTimer(delayMs: number, callback: () => void): Timer {
  // Rounded up because setTimeout cuts fractions off, and a timer that is early finds its deadline not reached yet.
  let remainingMs = delayMs > 0 ? Math.ceil(delayMs) : 0;
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const stepMs = Math.min(remainingMs, MAX_TIMEOUT_MS);
    remainingMs -= stepMs;
    handle = setTimeout(remainingMs > 0 ? arm : callback, stepMs);
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

const systemTime: Pick<Clock, 'now' | 'monotonicNow' | 'setTimer'> = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer: setSystemTimer,
};

/** The machine's own clock. A timer that is set keeps the process alive. */
export const systemClock: Clock = { ...systemTime, scheduler: schedulerFromClock(systemTime) };
