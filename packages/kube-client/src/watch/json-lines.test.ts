import { describe, expect, it } from 'vitest';
import { createJsonLines } from './json-lines.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('createJsonLines', () => {
  it('returns the values of complete lines, however they are cut', () => {
    const text = '{"a":"ä€😀"}\n\n{"b":[1,2]}\r\n3\n';
    for (const size of [1, 2, 3, 7, 100]) {
      const lines = createJsonLines();
      const all = bytes(text);
      const values: unknown[] = [];
      for (let at = 0; at < all.length; at += size) values.push(...lines.push(all.subarray(at, at + size)));
      expect(values).toEqual([{ a: 'ä€😀' }, { b: [1, 2] }, 3]);
    }
  });

  it('reports a line that is no JSON, or too long', () => {
    expect(() => createJsonLines().push(bytes('{"a":\n'))).toThrow('a line that is no JSON');
    const lines = createJsonLines();
    const chunk = new Uint8Array(8 * 1024 * 1024).fill(0x20);
    expect(() => {
      for (let count = 0; count < 5; count += 1) lines.push(chunk);
    }).toThrow('a line that is too long');
  });
});
