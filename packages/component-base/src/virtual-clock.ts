import type { Clock, Timer } from './clock.ts';
import { schedulerFromClock } from './clock-scheduler.ts';

/**
 * A clock that stands still until it is told to move on: hours of back-off become a test of milliseconds. It waits for promises, not for
 * the outside world: what goes through real files or sockets takes real time, of which it knows nothing.
 */
export interface VirtualClock extends Clock {
  /**
   * Moves time on by `ms`. Timers that fall due run in the order of their time, then of their setting; between two of them all promises settle.
   * Time is exactly `ms` later at the end. What a timer's callback throws comes out here.
   * @throws RangeError when `ms` is negative or not finite.
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves from timer to timer until `condition` holds.
   * @throws Error when it does not hold within `timeoutMs` (default ten minutes) of virtual time, or no timer is left that could change anything.
   */
  runUntil(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /** Lets all promises settle without moving time. */
  settle(): Promise<void>;
  /** Sets the wall clock, as an administrator or NTP would; monotonic time, timers and the scheduler's time are not touched. */
  setWallClock(epochMs: number): void;
  /** How many timers are set: `0` after everything was disposed of. */
  readonly pendingTimers: number;
}

/** Options of {@link createVirtualClock}. */
export interface VirtualClockOptions {
  /** Wall time at the start, in milliseconds since the epoch. Default: 2026-01-01T00:00:00Z. */
  startMs?: number;
}

interface PendingTimer extends Disposable {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** More timers than this at one instant are a loop that would spin on a real clock, and never end on this one. */
const MAX_TIMERS_PER_INSTANT = 100_000;

/** Creates a {@link VirtualClock}. */
export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  let wallOffsetMs = options.startMs ?? Date.UTC(2026, 0, 1);
  let elapsedMs = 0;
  let firedAtThisInstant = 0;
  /** Ordered by due time; of equal ones, the one set first comes first. */
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
  // One turn of the event loop empties the microtask queue, however long the chains of promises are.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const moveTo = (ms: number): void => {
    // Never back, also when two moves overlap.
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
        `${String(MAX_TIMERS_PER_INSTANT)} timers ran without time passing: something sets itself a timer of 0 ms for ever`,
      );
    }
    timer.callback();
    await settle();
  };

  const now = (): number => wallOffsetMs + elapsedMs;
  const monotonicNow = (): number => elapsedMs;
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const timer: PendingTimer = {
      dueMs: elapsedMs + (delayMs > 0 ? delayMs : 0),
      callback,
      [Symbol.dispose]: () => {
        let index = indexAfter(timer.dueMs) - 1;
        while (timers[index]?.dueMs === timer.dueMs && timers[index] !== timer) index -= 1;
        if (timers[index] === timer) timers.splice(index, 1);
      },
    };
    timers.splice(indexAfter(timer.dueMs), 0, timer);
    return timer;
  };

  return {
    now,
    monotonicNow,
    scheduler: schedulerFromClock({ now, monotonicNow, setTimer }),
    setTimer,
    async advance(ms) {
      if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`time cannot move on by ${String(ms)} ms`);
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
