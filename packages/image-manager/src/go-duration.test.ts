import { describe, expect, it } from 'vitest';
import { formatGoDuration } from './go-duration.ts';

describe('formatGoDuration', () => {
  it.each([
    [-1, '0s'],
    [0, '0s'],
    [0.9, '0s'],
    [312.7, '312ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [1234.9, '1.234s'],
    [60_000, '1m0s'],
    [123_450, '2m3.45s'],
    [3_605_000, '1h0m5s'],
    [90_061_001, '25h1m1.001s'],
  ])('%d ms: %s', (durationMs, text) => {
    expect(formatGoDuration(durationMs)).toBe(text);
  });
});
