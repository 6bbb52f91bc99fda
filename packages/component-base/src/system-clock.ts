import { schedulerFromClock } from './clock-scheduler.ts';
import type { Clock, Timer } from './clock.ts';

/** Longest delay of setTimeout, which turns a longer one into 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function setSystemTimer(delayMs: number, callback: () => void): Timer {
  // Rounded up because setTimeout drops fractions, and an early timer would find its deadline not reached.
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

/** The machine's clock. A pending timer keeps the process alive. */
export const systemClock: Clock = { ...systemTime, scheduler: schedulerFromClock(systemTime) };
