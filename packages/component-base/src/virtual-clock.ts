import type { Clock, Timer } from './clock.ts';
import { schedulerFromClock } from './clock-scheduler.ts';

/** A clock that advances only on request: hours of back-off become a test of milliseconds. It waits for promises, but not for real files and sockets. */
export interface VirtualClock extends Clock {
  /**
   * Advances time by exactly `ms`. Due timers run in order of their time, then of their creation; all promises settle between two of them. Rejects with the
   * exception of a timer's callback.
   *
   * @throws RangeError when `ms` is negative or not finite
   */
  advance(ms: number): Promise<void>;
  /**
   * Advances from timer to timer until `condition` holds.
   *
   * @throws Error when it does not hold within `timeoutMs` (default: ten minutes) of virtual time, or no timer is left that could change it
   */
  runUntil(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /** Waits until all promises have settled, without advancing time. */
  settle(): Promise<void>;
  /** Sets the wall clock, as an administrator or NTP would. Monotonic time, timers and the time of the scheduler do not change. */
  setWallClock(epochMs: number): void;
  /** Number of pending timers: `0` after everything was disposed of. */
  readonly pendingTimers: number;
}

/** Options of {@link createVirtualClock}. */
export interface VirtualClockOptions {
  /** Wall time at the start, in milliseconds since the epoch. Default: 2026-01-01T00:00:00Z. */
  startMs?: number;
  /**
   * Whether the event loop turns between two timers, so that callbacks of Node.js itself run as well, such as those of its streams. Without it, only promises settle,
   * which is faster. Default: true.
   */
  turnsEventLoop?: boolean;
}

/** A class: agents set thousands of timers, and literals with a computed key are slow. */
class PendingTimer implements Disposable {
  readonly dueMs: number;
  readonly callback: () => void;
  readonly #cancel: (timer: PendingTimer) => void;

  constructor(dueMs: number, callback: () => void, cancel: (timer: PendingTimer) => void) {
    this.dueMs = dueMs;
    this.callback = callback;
    this.#cancel = cancel;
  }

  [Symbol.dispose](): void {
    this.#cancel(this);
  }
}

/** Shortest delay but 0. Time is a fraction of limited precision: one that waits for the rest of a period with a shorter delay would wait for ever, and a real timer takes a millisecond. */
const MIN_DELAY_MS = 0.001;
/** Limit of timers at one instant. Beyond it, a loop would spin on a real clock and never end on this one. */
const MAX_TIMERS_PER_INSTANT = 100_000;

/**
 * Creates a {@link VirtualClock}.
 *
 * @example
 * ```ts
 * import { sleep } from '@rxlet/component-base';
 * import { createVirtualClock } from '@rxlet/component-base/testing';
 *
 * const clock = createVirtualClock();
 * const slept = sleep(clock, 60_000);
 * await clock.advance(60_000);
 * await slept;
 * ```
 */
export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  let wallOffsetMs = options.startMs ?? Date.UTC(2026, 0, 1);
  let elapsedMs = 0;
  let firedAtThisInstant = 0;
  /** Ordered by due time, then by creation. */
  const timers: PendingTimer[] = [];

  const indexAfter = (dueMs: number): number => {
    let low = 0;
    let high = timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timers[middle]!.dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  // Both run once the microtask queue is empty, however long the chains of promises are.
  const defer = options.turnsEventLoop === false ? process.nextTick : setImmediate;
  const settle = (): Promise<void> => new Promise((resolve) => void defer(resolve));
  const moveTo = (ms: number): void => {
    // Never goes back, even when two advances overlap.
    if (ms <= elapsedMs) return;
    elapsedMs = ms;
    firedAtThisInstant = 0;
  };
  const fireNext = async (): Promise<void> => {
    const timer = timers.shift()!;
    moveTo(timer.dueMs);
    firedAtThisInstant += 1;
    if (firedAtThisInstant > MAX_TIMERS_PER_INSTANT) {
      throw new Error(
        `${String(MAX_TIMERS_PER_INSTANT)} timers ran without time passing: a timer of 0 ms sets itself again`,
      );
    }
    timer.callback();
    await settle();
  };

  const now = (): number => wallOffsetMs + elapsedMs;
  const monotonicNow = (): number => elapsedMs;
  const cancel = (timer: PendingTimer): void => {
    let index = indexAfter(timer.dueMs) - 1;
    while (timers[index]?.dueMs === timer.dueMs && timers[index] !== timer) index -= 1;
    if (timers[index] === timer) timers.splice(index, 1);
  };
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const timer = new PendingTimer(elapsedMs + (delayMs > 0 ? Math.max(delayMs, MIN_DELAY_MS) : 0), callback, cancel);
    timers.splice(indexAfter(timer.dueMs), 0, timer);
    return timer;
  };

  return {
    now,
    monotonicNow,
    scheduler: schedulerFromClock({ now, monotonicNow, setTimer }),
    setTimer,
    async advance(ms) {
      if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`cannot advance time by ${String(ms)} ms`);
      const untilMs = elapsedMs + ms;
      await settle();
      while (timers.length > 0 && timers[0]!.dueMs <= untilMs) await fireNext();
      moveTo(untilMs);
    },
    async runUntil(condition, timeoutMs = 600_000) {
      const untilMs = elapsedMs + timeoutMs;
      await settle();
      while (!condition()) {
        const next = timers[0];
        if (next === undefined || next.dueMs === Infinity) {
          throw new Error('the condition does not hold, and no timer is left that could change that');
        }
        if (next.dueMs > untilMs)
          throw new Error(`the condition did not hold within ${String(timeoutMs)} ms of virtual time`);
        await fireNext();
      }
    },
    settle,
    setWallClock(epochMs) {
      wallOffsetMs = epochMs - elapsedMs;
    },
    get pendingTimers() {
      return timers.length;
    },
  };
}
