import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { ContainerHint, HintSource } from './container-hints.ts';
import { CHANGES_TO_TRUST } from './hint-audit.ts';
import { createRelistPeriod, type RelistPeriod } from './relist-period.ts';

const source = (isComplete?: boolean): HintSource => ({
  name: 'manual',
  ...(isComplete !== undefined && { isComplete }),
  async *open() {},
});
const started = (index: number): ContainerHint => ({ containerId: `c${String(index)}`, kind: 'started' });

function bench(relistPeriodWithHintsMs = 60_000): { readonly clock: VirtualClock; readonly period: RelistPeriod } {
  const clock = createVirtualClock();
  return { clock, period: createRelistPeriod(clock, { relistPeriodMs: 1_000, relistPeriodWithHintsMs }) };
}

function relist(period: RelistPeriod, hasNews = false): number {
  period.relistBegan();
  period.relistEnded(hasNews);
  return period.currentMs();
}

describe('the relist period', () => {
  it('stays the same without hints, however quiet the node is', () => {
    const { period } = bench();
    expect([relist(period), relist(period), relist(period, true)]).toEqual([1_000, 1_000, 1_000]);
    expect(period.isFollowing).toBe(false);
  });

  it('doubles up to the longest with a complete source, and starts again after news', () => {
    const { period } = bench();
    period.follow(source(true));
    expect(period.isFollowing).toBe(true);
    expect(period.currentMs()).toBe(1_000);
    expect([1, 2, 3, 4, 5, 6, 7].map(() => relist(period))).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ]);
    expect([relist(period, true), relist(period)]).toEqual([1_000, 2_000]);
  });

  it('at most doubles with a source that is not known to be complete', () => {
    const { period } = bench();
    period.follow(source());
    expect([relist(period), relist(period)]).toEqual([2_000, 2_000]);
  });

  it('never exceeds the longest one, even if that is less than twice the normal one', () => {
    const { period } = bench(1_500);
    period.follow(source());
    expect([relist(period), relist(period)]).toEqual([1_500, 1_500]);
  });

  it('is normal again from the loss of the stream on, and grows anew with the next', () => {
    const { period } = bench();
    period.follow(source(true));
    for (let relists = 0; relists < 6; relists += 1) relist(period);
    period.follow(undefined);
    expect(period.isFollowing).toBe(false);
    expect([period.currentMs(), relist(period)]).toEqual([1_000, 1_000]);
    period.announced(started(1));
    period.found(started(2));
    period.follow(source(true));
    expect([period.currentMs(), relist(period)]).toEqual([1_000, 2_000]);
  });

  it('grows once enough changes in a row were announced', () => {
    const { period } = bench();
    period.follow(source());
    relist(period);
    for (let index = 1; index <= CHANGES_TO_TRUST; index += 1) {
      expect(relist(period)).toBe(2_000);
      period.announced(started(index));
      period.found(started(index));
    }
    expect(relist(period)).toBe(4_000);
  });

  it('shrinks at once when a complete source has missed a change', async () => {
    const { clock, period } = bench();
    period.follow(source(true));
    for (let relists = 0; relists < 6; relists += 1) relist(period);
    period.found(started(1));
    await clock.advance(5_001);
    expect(period.currentMs()).toBe(2_000);
  });

  it.each<[string, (period: RelistPeriod) => void]>([
    ['before any relist', () => undefined],
    ['in the first relist after it', (period) => period.relistBegan()],
    [
      'after the end of a relist that began before it',
      (period) => {
        period.relistBegan();
        period.follow(source(true));
        period.relistEnded(true);
      },
    ],
    [
      'after a relist that failed',
      (period) => {
        period.relistBegan();
        period.relistBegan();
      },
    ],
    [
      'after relists during an earlier stream',
      (period) => {
        relist(period);
        period.follow(undefined);
        period.follow(source(true));
      },
    ],
  ])('ignores changes from before the opening of the stream, found %s', async (_title, act) => {
    const { clock, period } = bench();
    period.follow(source(true));
    act(period);
    period.found(started(1));
    await clock.advance(5_001);
    for (let relists = 0; relists < 6; relists += 1) relist(period);
    expect(period.currentMs()).toBe(60_000);
  });
});
