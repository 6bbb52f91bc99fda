import { describe, expect, it } from 'vitest';
import { firstLine, printable } from './printable.ts';

describe('printable', () => {
  it('shows control characters instead of sending them to the terminal', () => {
    expect(printable('\u001b[2Jgone\u0007\r\u007f\u009b1m')).toBe('^[[2Jgone^G^M^?\\x9b1m');
  });

  it('leaves text, line ends and tabs alone', () => {
    expect(printable('größer\n\t✓')).toBe('größer\n\t✓');
  });
});

describe('firstLine', () => {
  it.each([
    ['one', 'one'],
    ['  one\n', 'one'],
    ['one\ntwo', 'one...'],
    ['one\r\ntwo\nthree', 'one...'],
    ['a\tb', 'a b'],
    ['\u001b[1mbold', '^[[1mbold'],
    ['', ''],
  ])('makes %j a cell: %s', (text, cell) => {
    expect(firstLine(text)).toBe(cell);
  });
});
