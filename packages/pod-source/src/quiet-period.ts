import type { Clock, Timer } from '@rxlet/component-base';

/** Calls back once when nothing has happened for a while. Disposing it cancels the call. */
export interface QuietPeriod extends Disposable {
  /** Records that something happened. */
  touch(): void;
}

/** Creates a {@link QuietPeriod}: `onQuiet` follows `quietMs` after the last touch, but no later than `maxWaitMs` after the first. */
export function createQuietPeriod(clock: Clock, quietMs: number, maxWaitMs: number, onQuiet: () => void): QuietPeriod {
  let timer: Timer | undefined;
  let deadlineMs: number | undefined;
  return {
    touch() {
      const nowMs = clock.monotonicNow();
      deadlineMs ??= nowMs + maxWaitMs;
      timer?.[Symbol.dispose]();
      timer = clock.setTimer(Math.min(quietMs, deadlineMs - nowMs), () => {
        deadlineMs = undefined;
        onQuiet();
      });
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
    },
  };
}
