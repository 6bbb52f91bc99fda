import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import type { Clock, Timer } from './clock.ts';

/** One piece of scheduled work. RxJS operators reschedule the action they are called with, so there is at most one timer at a time. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  #timer: Timer | undefined;

  constructor(clock: Pick<Clock, 'setTimer'>, work: (this: SchedulerAction<T>, state?: T) => void) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.setTimer(delay, () => {
      this.#timer = undefined;
      this.#work.call(this, state);
    });
    return this;
  }

  override unsubscribe(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    super.unsubscribe();
  }
}

/**
 * Creates an RxJS scheduler on a clock. Its `now()` is the wall time at this call plus the time elapsed on the monotonic clock: operators such as `debounceTime`
 * take differences of it, which must not change when the host's clock is set. For the time of day, use the clock itself.
 */
export function schedulerFromClock(clock: Pick<Clock, 'now' | 'monotonicNow' | 'setTimer'>): SchedulerLike {
  const originMs = clock.now() - clock.monotonicNow();
  return {
    now: () => originMs + clock.monotonicNow(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) =>
      new ClockAction(clock, work).schedule(state, delay),
  };
}
