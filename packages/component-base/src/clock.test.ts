import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nowNanos, sleep, toRfc3339 } from './clock.ts';
import { systemClock } from './system-clock.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('sleep', () => {
  it('resolves at its time, not earlier', async () => {
    const clock = createVirtualClock();
    let done = false;
    void sleep(clock, 100).then(() => (done = true));
    await clock.advance(99);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
  });

  it('rejects with the reason when the signal aborts, and leaves neither timer nor listener', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const asleep = sleep(clock, 100, controller.signal);
    controller.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener when it resolves', async () => {
    const clock = createVirtualClock();
    const { signal } = new AbortController();
    const asleep = sleep(clock, 100, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(100);
    await asleep;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('sets no timer for an aborted signal', async () => {
    const clock = createVirtualClock();
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('time formats', () => {
  it('returns nanoseconds for CRI', () => {
    const clock = createVirtualClock({ startMs: 1_767_225_600_123.456 });
    expect(nowNanos(clock)).toBe(1_767_225_600_123_456_000n);
  });

  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [Date.UTC(2026, 1, 3, 4, 5, 6, 999), '2026-02-03T04:05:06Z'],
  ])('writes %d as %s', (epochMs, text) => {
    expect(toRfc3339(epochMs)).toBe(text);
  });
});

describe('systemClock', () => {
  beforeEach(() => vi.useFakeTimers({ now: 5_000 }));
  afterEach(() => vi.useRealTimers());

  it('formats the time of day', () => {
    vi.setSystemTime(7_000);
    expect(systemClock.now()).toBe(7_000);
  });

  it('does not fire early for a fraction of a millisecond', () => {
    const callback = vi.fn();
    systemClock.setTimer(1.2, callback);
    vi.advanceTimersByTime(1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it.each([-1, 0, Number.NaN])('fires soon, but asynchronously, after %d ms', (delayMs) => {
    const callback = vi.fn();
    systemClock.setTimer(delayMs, callback);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('supports a delay beyond the limit of setTimeout', () => {
    const callback = vi.fn();
    const days = 24 * 60 * 60 * 1000;
    systemClock.setTimer(60 * days, callback);
    vi.advanceTimersByTime(60 * days - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('never fires after Infinity', () => {
    const callback = vi.fn();
    const timer = systemClock.setTimer(Infinity, callback);
    vi.advanceTimersByTime(2 ** 33);
    expect(callback).not.toHaveBeenCalled();
    timer[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cancels a timer, even during a long delay', () => {
    const callback = vi.fn();
    const timer = systemClock.setTimer(2 ** 32, callback);
    vi.advanceTimersByTime(2 ** 31);
    timer[Symbol.dispose]();
    timer[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2 ** 32);
    expect(callback).not.toHaveBeenCalled();
  });
});
