import { describe, expect, it } from 'vitest';
import { bytesOfText, textOfBytes } from './byte-text.ts';

describe('text of bytes', () => {
  it('is UTF-8 where that is possible', () => {
    expect(textOfBytes(new TextEncoder().encode('ünï 🙂'))).toBe('ünï 🙂');
    expect(bytesOfText('ünï 🙂')).toEqual(new TextEncoder().encode('ünï 🙂'));
  });

  it.each([
    [[0xff, 0xfe]],
    [[0x61, 0xc3, 0x28, 0x62]],
    [[0xe2, 0x82]],
    [[0xf0, 0x9f, 0x99, 0x82, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xc0, 0xaf]],
    [[0xef, 0xbb, 0xbf, 0x61]],
  ])('keeps the bytes %j', (list) => {
    const bytes = Uint8Array.from(list);
    expect(bytesOfText(textOfBytes(bytes))).toEqual(bytes);
  });

  it.each([[[0xe3]], [[0xc3, 0xa9, 0xff]], [[0x41, 0x80]]])('keeps a megabyte of the bytes %j', (list) => {
    const bytes = new Uint8Array(999_999).map((_byte, index) => list[index % list.length]!);
    const text = textOfBytes(bytes);
    const found = bytesOfText(text);
    expect(Buffer.compare(found, bytes)).toBe(0);
  });
});
