import { describe, expect, it } from 'vitest';
import { createJsonLines, createLineBudget } from './json-lines.ts';

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
    const chunk = new Uint8Array(2 * 1024 * 1024).fill(0x20);
    expect(() => {
      for (let count = 0; count < 5; count += 1) lines.push(chunk);
    }).toThrow('a line that is too long');
  });

  it('reports a line that is too long for what all watches of one API server may hold together', () => {
    const budget = createLineBudget();
    const watches = Array.from({ length: 100 }, () => createJsonLines(budget));
    const chunk = bytes('x'.repeat(4 * 1024 * 1024));
    const pushed = watches.map((lines) => {
      try {
        return lines.push(chunk).length === 0;
      } catch {
        return false;
      }
    });
    expect(pushed.filter(Boolean)).toHaveLength(7);
    const later = (): unknown[] => createJsonLines(budget).push(bytes(`"${'y'.repeat(4 * 1024 * 1024)}`));
    expect(later).toThrow('a line that is too long');
    // A watch that ends, and one whose line is complete, hold nothing any more.
    watches[0]![Symbol.dispose]();
    expect(later()).toEqual([]);
    expect(() => watches[1]!.push(bytes('\n'))).toThrow('a line that is no JSON');
    expect(later()).toEqual([]);
  });

  it('counts the pieces of a line, however small they are', () => {
    const lines = createJsonLines();
    const piece = bytes('x');
    let count = 0;
    const drip = (): void => {
      for (; count < 1_000_000; count += 1) lines.push(piece);
    };
    expect(drip).toThrow('a line that is too long');
    expect(count).toBeLessThan(200_000);
  });
});
