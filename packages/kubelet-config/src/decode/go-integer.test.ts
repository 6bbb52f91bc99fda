import { expect, it } from 'vitest';
import { parseGoInteger } from './go-integer.ts';

it.each([
  ['0', 0n],
  ['00', 0n],
  ['-0', 0n],
  ['+12', 12n],
  ['1_000', 1000n],
  ['017', 15n],
  ['0_17', 15n],
  ['0o17', 15n],
  ['0XfF', 255n],
  ['0x_f', 15n],
  ['-0b101', -5n],
  ['18446744073709551616', 2n ** 64n],
])('reads %s as %s', (text, value) => {
  expect(parseGoInteger(text)).toBe(value);
});

it.each(['', '-', '08', '0x', '0o', '0b2', '1__0', '1_', '_1', '1.0', '1e3', ' 1'])('rejects "%s"', (text) => {
  expect(parseGoInteger(text)).toBeUndefined();
});
