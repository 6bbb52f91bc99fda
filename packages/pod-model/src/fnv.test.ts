import { describe, expect, it } from 'vitest';
import { fnv1a32, fnv1a64 } from './fnv.ts';

// From the reference vectors of the FNV hash's authors.
describe('FNV-1a', () => {
  it.each([
    ['', '811c9dc5', 'cbf29ce484222325'],
    ['a', 'e40c292c', 'af63dc4c8601ec8c'],
    ['foobar', 'bf9cf968', '85944171f73967e8'],
  ])('of %j', (text, of32, of64) => {
    expect([fnv1a32(text).toString(16), fnv1a64(text).toString(16)]).toEqual([of32, of64]);
  });
});
