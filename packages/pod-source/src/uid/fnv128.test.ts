import { describe, expect, it } from 'vitest';
import { fnv1a128 } from './fnv128.ts';

/** The definition, with a bigint. */
function reference(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x0000000001000000000000000000013bn);
  }
  return hash.toString(16).padStart(32, '0');
}

describe('fnv1a128', () => {
  it.each(['', 'a', 'foobar', 'x'.repeat(5000), '\u0000ünï 🙂'])('hashes %j', (text) => {
    expect(fnv1a128(new TextEncoder().encode(text))).toBe(reference(text));
  });

  it('has the published value of "a"', () => {
    expect(fnv1a128(new TextEncoder().encode('a'))).toBe('d228cb696f1a8caf78912b704e4a8964');
  });
});
