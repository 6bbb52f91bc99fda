import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('createVirtualClock', () => {
  it('does not advance by itself', async () => {
    const clock = createVirtualClock({ startMs: 1000 });
    await clock.settle();
    expect(clock.now()).toBe(1000);
    expect(clock.monotonicNow()).toBe(0);
    await clock.advance(250.5);
    expect(clock.now()).toBe(1250.5);
    expect(clock.monotonicNow()).toBe(250.5);
  });

  it('runs timers in order of their time, then of their creation', async () => {
    const clock = createVirtualClock();
    const ran: [string, number][] = [];
    const record = (name: string, delayMs: number): unknown =>
      clock.setTimer(delayMs, () => ran.push([name, clock.monotonicNow()]));
    record('late', 30);
    record('first of two', 10);
    record('second of two', 10);
    record('now', 0);
    record('past', -5);
    record('no number', Number.NaN);
    await clock.advance(30);
    expect(ran).toEqual([
      ['now', 0],
      ['past', 0],
      ['no number', 0],
      ['first of two', 10],
      ['second of two', 10],
      ['late', 30],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs no timer early and no cancelled timer', async () => {
    const clock = createVirtualClock();
    const ran: string[] = [];
    clock.setTimer(11, () => ran.push('later'));
    const equals = ['a', 'b', 'c'].map((name) => clock.setTimer(10, () => ran.push(name)));
    equals[1]![Symbol.dispose]();
    equals[1]![Symbol.dispose]();
    expect(clock.pendingTimers).toBe(3);
    await clock.advance(10);
    expect(ran).toEqual(['a', 'c']);
    equals[0]![Symbol.dispose]();
    expect(clock.pendingTimers).toBe(1);
  });

  it('settles chains of promises of any length between timers', async () => {
    const clock = createVirtualClock();
    const ran: string[] = [];
    const chain = async (name: string): Promise<void> => {
      for (let step = 0; step < 1000; step += 1) await Promise.resolve();
      ran.push(`end of ${name}`);
    };
    clock.setTimer(1, () => void chain('first'));
    clock.setTimer(1, () => ran.push('second'));
    await clock.advance(1);
    expect(ran).toEqual(['end of first', 'second']);
  });

  it('settles the same chains when the event loop does not turn', async () => {
    const clock = createVirtualClock({ turnsEventLoop: false });
    let links = 0;
    clock.setTimer(10, () => {
      void (async () => {
        for (; links < 1_000; links += 1) await Promise.resolve();
      })();
    });
    const seen: number[] = [];
    clock.setTimer(11, () => seen.push(links));
    await clock.advance(20);
    expect(seen).toEqual([1_000]);
  });

  it('runs due timers that other timers set', async () => {
    const clock = createVirtualClock();
    const ran: number[] = [];
    const tick = (): void => {
      ran.push(clock.monotonicNow());
      clock.setTimer(10, tick);
    };
    clock.setTimer(10, tick);
    await clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
    expect(clock.monotonicNow()).toBe(35);
  });

  it('settles pending promises before it advances', async () => {
    const clock = createVirtualClock();
    let done = false;
    void (async () => {
      await Promise.resolve();
      await sleep(clock, 10);
      done = true;
    })();
    await clock.advance(10);
    expect(done).toBe(true);
  });

  it('never goes back, even when two advances overlap', async () => {
    const clock = createVirtualClock();
    const seen: number[] = [];
    clock.setTimer(50, () => seen.push(clock.monotonicNow()));
    await Promise.all([clock.advance(10), clock.advance(100), clock.advance(20)]);
    expect(seen).toEqual([50]);
    expect(clock.monotonicNow()).toBe(100);
  });

  it.each([-1, Number.NaN, Infinity])('rejects an advance by %d ms', async (ms) => {
    await expect(createVirtualClock().advance(ms)).rejects.toThrow(RangeError);
  });

  it('rejects with the exception of a callback, and continues on the next advance', async () => {
    const clock = createVirtualClock();
    clock.setTimer(1, () => {
      throw new Error('of the callback');
    });
    let ran = false;
    clock.setTimer(2, () => (ran = true));
    await expect(clock.advance(5)).rejects.toThrow('of the callback');
    await clock.advance(5);
    expect(ran).toBe(true);
  });

  it('rejects on an endless loop of timers at one instant', async () => {
    const clock = createVirtualClock();
    let runs = 0;
    const spin = (): void => {
      runs += 1;
      clock.setTimer(0, spin);
    };
    clock.setTimer(0, spin);
    await expect(clock.advance(1)).rejects.toThrow('without time passing');
    expect(runs).toBe(100_000);
  });

  it('advances by delays that are shorter than the precision of its time', async () => {
    const clock = createVirtualClock();
    await clock.advance(2 ** 25 + 0.3);
    const startMs = clock.monotonicNow();
    let runs = 0;
    const waitUntilLater = (): void => {
      runs += 1;
      if (clock.monotonicNow() === startMs) clock.setTimer(1e-9, waitUntilLater);
    };
    waitUntilLater();
    await clock.advance(1);
    expect(runs).toBe(2);
  });

  it('sets the wall clock without touching timers or monotonic time', async () => {
    const clock = createVirtualClock({ startMs: 1000 });
    let ranAt: number | undefined;
    clock.setTimer(10, () => (ranAt = clock.now()));
    await clock.advance(5);
    clock.setWallClock(500_000);
    expect(clock.now()).toBe(500_000);
    expect(clock.monotonicNow()).toBe(5);
    expect(clock.scheduler.now()).toBe(1005);
    await clock.advance(5);
    expect(ranAt).toBe(500_005);
  });

  describe('runUntil', () => {
    it('stops at the timer after which the condition holds', async () => {
      const clock = createVirtualClock();
      let count = 0;
      const tick = (): void => {
        count += 1;
        clock.setTimer(1000, tick);
      };
      clock.setTimer(1000, tick);
      await clock.runUntil(() => count === 3);
      expect(clock.monotonicNow()).toBe(3000);
    });

    it('does not advance when the condition holds once promises have settled', async () => {
      const clock = createVirtualClock();
      let settled = false;
      void Promise.resolve().then(() => (settled = true));
      clock.setTimer(1, () => undefined);
      await clock.runUntil(() => settled);
      expect(clock.monotonicNow()).toBe(0);
    });

    it('rejects when the condition does not hold in time', async () => {
      const clock = createVirtualClock();
      const tick = (): void => void clock.setTimer(1000, tick);
      tick();
      await expect(clock.runUntil(() => false, 5000)).rejects.toThrow('within 5000 ms');
      expect(clock.monotonicNow()).toBe(5000);
    });

    it('rejects when no timer is left', async () => {
      const clock = createVirtualClock();
      clock.setTimer(5, () => undefined);
      clock.setTimer(Infinity, () => undefined);
      await expect(clock.runUntil(() => false, Infinity)).rejects.toThrow('no timer is left');
    });
  });
});
