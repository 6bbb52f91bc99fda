import { describe, expect, it } from 'vitest';
import { fnv1a32 } from './fnv.ts';

// From the reference vectors of the FNV hash's authors.
describe('FNV-1a', () => {
  it.each([
    ['', '811c9dc5'],
    ['a', 'e40c292c'],
    ['foobar', 'bf9cf968'],
  ])('hashes %j', (text, hash) => {
    expect(fnv1a32(text).toString(16)).toBe(hash);
  });
});
