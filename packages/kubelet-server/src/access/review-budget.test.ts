import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createReviewBudget } from './review-budget.ts';

describe('a review budget', () => {
  const takeAll = (budget: ReturnType<typeof createReviewBudget>, party: string, count: number): (() => void)[] =>
    Array.from({ length: count }, () => budget.take(party)).filter((release) => release !== undefined);

  it('gives a party some reviews at once, then a few a second, and leaves others theirs', async () => {
    const clock = createVirtualClock();
    const budget = createReviewBudget(clock);
    const granted = (party: string, count: number): number => {
      const taken = takeAll(budget, party, count);
      for (const release of taken) release();
      return taken.length;
    };
    expect(granted('10.0.0.1', 1000)).toBe(10);
    expect(granted('10.0.0.2', 5)).toBe(5);
    await clock.advance(1000);
    expect([granted('10.0.0.1', 1000), granted('10.0.0.2', 5)]).toEqual([5, 5]);
  });

  it('bounds the reviews of all parties, and those in flight', async () => {
    const clock = createVirtualClock();
    const budget = createReviewBudget(clock);
    const taken = Array.from({ length: 20 }, (_, index) => takeAll(budget, `10.0.0.${String(index)}`, 100)).flat();
    expect(taken).toHaveLength(40);
    await clock.advance(60_000);
    expect(budget.take('10.0.1.1')).toBeUndefined();
    taken[0]!();
    taken[0]!();
    expect(takeAll(budget, '10.0.1.1', 2)).toHaveLength(1);
  });

  it('bounds the reviews of one party in flight', async () => {
    const clock = createVirtualClock();
    const budget = createReviewBudget(clock);
    takeAll(budget, '10.0.0.1', 10);
    await clock.advance(60_000);
    expect(budget.take('10.0.0.1')).toBeUndefined();
    expect(budget.take('10.0.0.2')).toBeDefined();
  });
});
