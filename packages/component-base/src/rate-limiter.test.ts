import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('createRateLimiter', () => {
  it('grants a burst, then single tokens at the rate', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, 5, 10);
    expect(Array.from({ length: 11 }, () => limiter.tryAcquire())).toEqual([...Array<boolean>(10).fill(true), false]);
    await clock.advance(199);
    expect(limiter.tryAcquire()).toBe(false);
    await clock.advance(1);
    expect(limiter.tryAcquire()).toBe(true);
    expect(limiter.tryAcquire()).toBe(false);
  });

  it('accumulates no more than the burst', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, 5, 2);
    await clock.advance(3_600_000);
    expect([limiter.tryAcquire(), limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([true, true, false]);
  });

  it('loses no tokens to rejected attempts', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, 1, 1);
    limiter.tryAcquire();
    const answers: boolean[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await clock.advance(100);
      answers.push(limiter.tryAcquire());
    }
    expect(answers).toEqual([...Array<boolean>(9).fill(false), true]);
  });

  it('ignores the wall clock', () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, 1, 1);
    limiter.tryAcquire();
    clock.setWallClock(clock.now() + 3_600_000);
    expect(limiter.tryAcquire()).toBe(false);
  });

  it.each([0, -1])('is unlimited for %d tokens a second', (perSecond) => {
    const limiter = createRateLimiter(createVirtualClock(), perSecond, 0);
    expect(Array.from({ length: 100 }, () => limiter.tryAcquire())).not.toContain(false);
  });

  it('grants nothing with a limit and no burst', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, 5, 0);
    await clock.advance(10_000);
    expect(limiter.tryAcquire()).toBe(false);
  });

  it('never grants more than the burst and the tokens gained in any interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(700), { maxLength: 100 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (gaps, perSecond, burst) => {
          let nowMs = 0;
          const limiter = createRateLimiter({ monotonicNow: () => nowMs }, perSecond, burst);
          const granted: number[] = [];
          for (const gapMs of gaps) {
            nowMs += gapMs;
            if (limiter.tryAcquire()) granted.push(nowMs);
          }
          for (let from = 0; from < granted.length; from += 1) {
            for (let to = from; to < granted.length; to += 1) {
              const earned = ((granted[to]! - granted[from]!) / 1000) * perSecond;
              expect(to - from + 1).toBeLessThanOrEqual(burst + earned + 1e-6);
            }
          }
        },
      ),
      { seed: 2026, numRuns: 100 },
    );
  });
});
