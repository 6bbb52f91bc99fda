import { describe, expect, it } from 'vitest';
import { goQuote } from './go-quote.ts';

describe('goQuote', () => {
  it.each([
    ['plain ä 語', '"plain ä 語"'],
    ['a"b\\c', String.raw`"a\"b\\c"`],
    ['\n\t\r\u0007', String.raw`"\n\t\r\a"`],
    ['\u001b[0m\u0000\u007f', String.raw`"\x1b[0m\x00\x7f"`],
    ['\u00a0\u200b\u{e0001}', String.raw`"\u00a0\u200b\U000e0001"`],
  ])('%j', (text, want) => expect(goQuote(text)).toBe(want));
});
