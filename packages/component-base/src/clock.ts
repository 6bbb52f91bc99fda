import { onAbort } from './abort.ts';
import type { SchedulerLike } from 'rxjs';

/** A timer that has been set. Disposal cancels it, and does nothing once it has fired. */
export type Timer = Disposable;

/** Source of all time. Code that takes a clock runs unchanged on real time (`systemClock`) and on virtual time (`VirtualClock` of `@rxlet/component-base/testing`). */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch (may carry a fraction; may jump when the host's clock is set). */
  now(): number;
  /** Milliseconds on a clock that never goes back, from an arbitrary origin: for durations and for ordering. */
  monotonicNow(): number;
  /**
   * The same clock as a scheduler for RxJS operators: `interval(1000, clock.scheduler)`. Its own `now()` never jumps
   * (see `schedulerFromClock`).
   */
  readonly scheduler: SchedulerLike;
  /**
   * Calls `callback` once after `delayMs` (in real time, within the timers' resolution of 1 ms), never during this call; `Infinity` means never. The callback must not
   * throw: an exception would end the process.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Resolves after `delayMs` of the clock's time. Rejects with the signal's reason as soon as it aborts; no timer is left then. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = clock.setTimer(delayMs, () => {
      listener[Symbol.dispose]();
      resolve();
    });
    const listener = onAbort(signal, (reason) => {
      timer[Symbol.dispose]();
      reject(reason);
    });
  });
}

/** Returns the clock's wall time in nanoseconds, the unit of CRI timestamps. */
export function nowNanos(clock: Clock): bigint {
  return BigInt(Math.round(clock.now() * 1000)) * 1000n;
}

/** Formats `epochMs` as RFC 3339 in UTC, cut to whole seconds: the form of `metav1.Time`. */
export function toRfc3339(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
