import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createRequestPacer } from './request-pacer.ts';

describe('a pacer', () => {
  it('lets a burst pass, then the rest at its rate, in order', async () => {
    const clock = createVirtualClock();
    const pacer = createRequestPacer(clock, 10, 3);
    const passed: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      void pacer
        .wait(new AbortController().signal)
        .then(() => passed.push(`${String(index)} at ${String(clock.monotonicNow())}`));
    }
    await clock.advance(1000);
    expect(passed).toEqual(['0 at 0', '1 at 0', '2 at 0', '3 at 100', '4 at 200', '5 at 300']);
  });

  it('gives the turn of a caller that left to the next ones', async () => {
    const clock = createVirtualClock();
    const pacer = createRequestPacer(clock, 1, 1);
    const leaving = new AbortController();
    await pacer.wait(leaving.signal);
    const left = pacer.wait(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    let isPassed = false;
    void pacer.wait(new AbortController().signal).then(() => (isPassed = true));
    await clock.advance(1000);
    expect([isPassed, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('moves up those behind a caller that left, at once', async () => {
    const clock = createVirtualClock();
    const pacer = createRequestPacer(clock, 1, 1);
    const leaving = new AbortController();
    const staying = new AbortController().signal;
    await pacer.wait(staying);
    const left = Promise.allSettled(Array.from({ length: 2000 }, () => pacer.wait(leaving.signal)));
    const passed: number[] = [];
    for (let index = 0; index < 2; index += 1) void pacer.wait(staying).then(() => passed.push(clock.monotonicNow()));
    await clock.advance(500);
    leaving.abort(new Error('gone'));
    await left;
    await clock.advance(1500);
    expect(passed).toEqual([1000, 2000]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has no limit for a negative rate', async () => {
    const clock = createVirtualClock();
    const pacer = createRequestPacer(clock, -1, 0);
    await Promise.all(Array.from({ length: 1000 }, () => pacer.wait(new AbortController().signal)));
    expect(clock.monotonicNow()).toBe(0);
  });
});
