import type { Clock, Timer } from '@rxlet/component-base';

/** Idle timeout of a stream, in both directions: the default of the streaming server that runtimes share, and of the kubelet. */
export const IDLE_TIMEOUT_MS: number = 4 * 60 * 60 * 1000;

/** Ends a connection that is idle for too long. */
export interface IdleWatch extends Disposable {
  /** Records activity. */
  touch(): void;
}

/** Creates an {@link IdleWatch} with one timer, set again for the rest of the time, instead of one for each message. */
export function createIdleWatch(clock: Clock, end: () => void): IdleWatch {
  let lastMs = clock.monotonicNow();
  let timer: Timer;
  const watch = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => {
      const leftMs = lastMs + IDLE_TIMEOUT_MS - clock.monotonicNow();
      if (leftMs > 0) watch(leftMs);
      else end();
    });
  };
  watch(IDLE_TIMEOUT_MS);
  return {
    touch: () => void (lastMs = clock.monotonicNow()),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
