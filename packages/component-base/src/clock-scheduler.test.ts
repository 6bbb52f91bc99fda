import { createEmitter } from './streams/emitter.ts';
import {
  concat,
  debounceTime,
  defer,
  interval,
  map,
  NEVER,
  type Observable,
  of,
  retry,
  take,
  throwError,
  timeInterval,
  timeout,
  timer,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Records the values of a stream with their times in milliseconds. */
function record(clock: VirtualClock, stream: Observable<unknown>): { log: string[]; stop: () => void } {
  const log: string[] = [];
  const note = (what: string): unknown => log.push(`${String(clock.monotonicNow())} ${what}`);
  const subscription = stream.subscribe({
    next: (value) => note(String(value)),
    error: (error) => note(String(error)),
    complete: () => note('end'),
  });
  return { log, stop: () => subscription.unsubscribe() };
}

describe('schedulerFromClock', () => {
  it('ticks an interval at each period with one timer until it is unsubscribed', async () => {
    const clock = createVirtualClock();
    const { log, stop } = record(clock, interval(1000, clock.scheduler));
    await clock.advance(3500);
    expect(log).toEqual(['1000 0', '2000 1', '3000 2']);
    expect(clock.pendingTimers).toBe(1);
    stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10_000);
    expect(log).toHaveLength(3);
  });

  it('stops an interval that is unsubscribed during its own tick', async () => {
    const clock = createVirtualClock();
    const { log } = record(clock, interval(10, clock.scheduler).pipe(take(2)));
    await clock.advance(100);
    expect(log).toEqual(['10 0', '20 1', '20 end']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires a timer once or periodically', async () => {
    const clock = createVirtualClock();
    const once = record(clock, timer(30, clock.scheduler));
    const periodic = record(clock, timer(5, 10, clock.scheduler).pipe(take(3)));
    await clock.advance(100);
    expect(once.log).toEqual(['30 0', '30 end']);
    expect(periodic.log).toEqual(['5 0', '15 1', '25 2', '25 end']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires a timer at a date', async () => {
    const clock = createVirtualClock({ startMs: 50_000 });
    await clock.advance(1000);
    const { log } = record(clock, timer(new Date(53_000), clock.scheduler));
    await clock.advance(2000);
    expect(log).toEqual(['3000 0', '3000 end']);
  });

  it('debounces bursts', async () => {
    const clock = createVirtualClock();
    const source = createEmitter<string>();
    const { log, stop } = record(clock, source.values$.pipe(debounceTime(100, clock.scheduler)));
    for (const [delayMs, value] of [
      [0, 'a'],
      [60, 'b'],
      [60, 'c'],
      [150, 'd'],
    ] as const) {
      await clock.advance(delayMs);
      source.emit(value);
    }
    await clock.advance(99);
    stop();
    expect(log).toEqual(['220 c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('debounces by elapsed time, regardless of the wall clock', async () => {
    const clock = createVirtualClock();
    const source = createEmitter<string>();
    const { log } = record(clock, source.values$.pipe(debounceTime(100, clock.scheduler)));
    source.emit('a');
    clock.setWallClock(clock.now() - 3_600_000);
    await clock.advance(100);
    expect(log).toEqual(['100 a']);
  });

  it('measures intervals', async () => {
    const clock = createVirtualClock();
    const { log } = record(
      clock,
      concat(timer(5, clock.scheduler), timer(7, clock.scheduler)).pipe(
        timeInterval(clock.scheduler),
        map((measured) => measured.interval),
      ),
    );
    await clock.advance(20);
    expect(log).toEqual(['5 5', '12 7', '12 end']);
  });

  it('retries after a back-off', async () => {
    const clock = createVirtualClock();
    let attempts = 0;
    const source = defer(() => {
      attempts += 1;
      return attempts < 4 ? throwError(() => new Error('not yet')) : of('done');
    });
    const { log } = record(
      clock,
      source.pipe(retry({ delay: (_, count) => timer(1000 * 2 ** (count - 1), clock.scheduler) })),
    );
    await clock.advance(10_000);
    expect(log).toEqual(['7000 done', '7000 end']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('times out', async () => {
    const clock = createVirtualClock();
    const { log } = record(clock, NEVER.pipe(timeout({ first: 40, scheduler: clock.scheduler })));
    await clock.advance(100);
    expect(log).toEqual(['40 TimeoutError: Timeout has occurred']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('passes the state to the work and replaces an earlier schedule of the same action', async () => {
    const clock = createVirtualClock();
    const seen: [number, number | undefined][] = [];
    const subscription = clock.scheduler.schedule<number>(
      function (state) {
        seen.push([clock.monotonicNow(), state]);
        if (state === undefined || state > 1) return;
        this.schedule(state + 10, 500);
        this.schedule(state + 1, 5);
      },
      10,
      0,
    );
    await clock.advance(1000);
    expect(seen).toEqual([
      [10, 0],
      [15, 1],
      [20, 2],
    ]);
    subscription.unsubscribe();
    expect(clock.pendingTimers).toBe(0);
  });

  it('does nothing for an unsubscribed action', async () => {
    const clock = createVirtualClock();
    let runs = 0;
    const subscription = clock.scheduler.schedule(function () {
      runs += 1;
      this.unsubscribe();
      this.schedule(undefined, 1);
    }, 1);
    await clock.advance(10);
    expect(runs).toBe(1);
    expect(subscription.closed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
