import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { asciiSource } from './ascii-source.ts';

const evaluate = (code: string): unknown => runInNewContext(`JSON.stringify(${code})`);

describe('asciiSource', () => {
  it.each([`'a … b'`, '`→ ${"ä"} 😀`', `/^[…→]$/.test('…')`, `/^😀$/u.test('😀')`, '({ größe: 1 })'])(
    'keeps the meaning of %s',
    (code) => {
      const ascii = asciiSource(code);
      expect(ascii).toMatch(/^[\0-\x7f]*$/);
      expect(evaluate(ascii)).toEqual(evaluate(code));
    },
  );

  it('rejects a character that is escaped itself', () => {
    expect(() => asciiSource(`'\\…'`)).toThrow('cannot write "\\…" in ASCII');
  });
});
