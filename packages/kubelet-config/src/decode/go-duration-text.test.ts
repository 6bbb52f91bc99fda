import { expect, it } from 'vitest';
import { goDurationText } from './go-duration-text.ts';

it.each([
  [0, '0s'],
  [0.000001, '1ns'],
  [0.999, '999µs'],
  [1.5, '1.5ms'],
  [1_000, '1s'],
  [90_000, '1m30s'],
  [-300_000, '-5m0s'],
  [14_400_000, '4h0m0s'],
  [3_600_500, '1h0m0.5s'],
])('writes %d ms as %s', (ms, text) => {
  expect(goDurationText(ms)).toBe(text);
});
