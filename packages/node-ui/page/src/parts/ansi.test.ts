import { describe, expect, it } from 'vitest';
import { parseAnsi } from './ansi.ts';

const textOf = (line: string): string =>
  parseAnsi(line)
    .map(({ text }) => text)
    .join('');

describe('a log line', () => {
  it('has its colors and styles as classes', () => {
    expect(parseAnsi('a \x1b[1;31mb\x1b[22m c\x1b[0m d')).toEqual([
      { text: 'a ', classes: '' },
      { text: 'b', classes: 'ansi-bold ansi-fg-red' },
      { text: ' c', classes: 'ansi-fg-red' },
      { text: ' d', classes: '' },
    ]);
    expect(parseAnsi('\x1b[38;5;200mx\x1b[91my')).toEqual([
      { text: 'x', classes: '' },
      { text: 'y', classes: 'ansi-fg-red' },
    ]);
  });

  it.each([
    ['moves of the cursor and erasures', '\x1b[2J\x1b[1;1Htext\x1b[K'],
    ['titles', '\x1b]0;title\x07text'],
    ['texts for the clipboard', '\x1b]52;c;YQ==\x1b\\text'],
    ['addresses of links', '\x1b]8;;http://evil.test\x07text\x1b]8;;\x07'],
    ['strings for the device', '\x1bPq#0\x1b\\text'],
    ['a sequence that does not end', 'text\x1b]0;title'],
  ])('loses %s', (_title, line) => {
    expect(textOf(line)).toBe('text');
  });

  it('shows other control characters, and those that turn the direction of text', () => {
    expect(textOf('a\x00b\x07c\u202ed\u200be')).toBe('a␀b␇c\\u202ed\\u200be');
  });
});
