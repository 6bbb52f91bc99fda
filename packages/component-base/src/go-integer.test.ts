import { expect, it } from 'vitest';
import { parseInt64 } from './go-integer.ts';

it.each([
  ['0', 0n],
  ['+0', 0n],
  ['-00', 0n],
  ['0012', 12n],
  ['-7', -7n],
  ['+9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
])('%s is a number', (text, value) => {
  expect(parseInt64(text)).toBe(value);
});

it.each([
  '',
  '+',
  '-',
  '--1',
  '1.0',
  '1e3',
  '0x1',
  ' 1',
  '1 ',
  '1\n',
  '9223372036854775808',
  '-9223372036854775809',
  '1'.repeat(20),
])('%j is none of 64 bits', (text) => {
  expect(parseInt64(text)).toBeUndefined();
});

// Within the time of a test only when that is linear in the number of digits.
it.each([
  ['0', 0n],
  ['1', undefined],
])('a text of ten million digits %s is decided at once', (digit, value) => {
  expect(parseInt64(digit.repeat(1e7))).toBe(value);
  expect(parseInt64(`${digit.repeat(1e7)}x`)).toBeUndefined();
});
