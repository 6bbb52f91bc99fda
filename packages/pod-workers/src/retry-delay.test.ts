import type { Random } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import type { RetryHint } from './pod-syncer.ts';
import { readRetryHint, resyncDelayMs, retryDelayMs } from './retry-delay.ts';

const DELAYS = { resyncIntervalMs: 60_000, retryDelayMs: 10_000, transientRetryDelayMs: 1_000 };
const always = (value: number): Random => ({ next: () => value, hex: () => '' });
const NOW_MS = 1_000_000;
const backoff = (inMs: number): Error => Object.assign(new Error('back-off'), { backoffUntilMs: NOW_MS + inMs });
const transient = Object.assign(new Error('network is not ready'), { transient: true });
const other = new Error('failed');

describe('retryDelayMs', () => {
  it.each<[string, RetryHint, number, number]>([
    ['an error', {}, 10_000, 15_000],
    ['a transient cause', { transient: true }, 1_000, 1_500],
    ['a transient cause beside a back-off', { transient: true, backoffUntilMs: NOW_MS + 9 }, 1_000, 1_500],
    ['a back-off, exactly', { backoffUntilMs: NOW_MS + 25_000 }, 25_000, 25_000],
    ['a back-off that ends at once', { backoffUntilMs: NOW_MS + 1 }, 1, 1],
    ['a back-off longer than the resync interval', { backoffUntilMs: NOW_MS + 300_000 }, 60_000, 60_000],
    ['a back-off that is over', { backoffUntilMs: NOW_MS }, 100, 100],
    ['a back-off that has long been over', { backoffUntilMs: 0 }, 100, 100],
  ])('returns the delay after %s', (_title, hint, leastMs, mostMs) => {
    expect(retryDelayMs(hint, DELAYS, NOW_MS, always(0))).toBe(leastMs);
    expect(retryDelayMs(hint, DELAYS, NOW_MS, always(1))).toBe(mostMs);
  });
});

it('spreads the resync delay over half as much again', () => {
  expect([0, 1].map((value) => resyncDelayMs(DELAYS, always(value)))).toEqual([60_000, 90_000]);
});

describe('readRetryHint', () => {
  it.each<[string, unknown, RetryHint]>([
    ['nothing', undefined, {}],
    ['a string', 'failed', {}],
    ['an error', other, {}],
    ['values that are no hints', { backoffUntilMs: Number.NaN, transient: 'yes' }, {}],
    ['no back-off if one of the errors has none', { backoffUntilMs: undefined }, {}],
    ['the back-off that ends first', new AggregateError([backoff(9), backoff(4)]), { backoffUntilMs: NOW_MS + 4 }],
    ['no back-off if another error could pass before', new AggregateError([backoff(9), other]), {}],
    [
      'errors within errors',
      new AggregateError([backoff(9), new AggregateError([backoff(7), backoff(8)])]),
      { backoffUntilMs: NOW_MS + 7 },
    ],
    ['one that may pass soon', new AggregateError([other, transient]), { transient: true }],
    ['no errors', new AggregateError([]), {}],
    [
      'errors together, before each of them, a back-off',
      Object.assign(new AggregateError([backoff(4), transient]), { backoffUntilMs: NOW_MS + 9 }),
      { backoffUntilMs: NOW_MS + 9 },
    ],
    [
      'errors together, before each of them, a transient cause',
      Object.assign(new AggregateError([backoff(4)]), { transient: true }),
      { transient: true },
    ],
  ])('finds in %s', (_title, error, hint) => {
    expect(readRetryHint(error)).toEqual(hint);
  });
});
