import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlPath } from './url-path.ts';

describe('urlPath', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['healthz', '/healthz'],
    ['/a?b=c&d', '/a?b=c&d'],
    ['?b', '/?b'],
    ['/a#b', '/a'],
    ['/a/../b//c/', '/a/../b//c/'],
    ['/a%2Fb', '/a%2Fb'],
    ["/a(b)'[c]!*", "/a(b)'[c]!*"],
    ['/a b', '/a%20b'],
    ['/a b(c)%41', '/a%20b%28c%29A'],
    ['/ä?ö', '/%C3%A4?%C3%B6'],
    ['/a?b c', '/a?b%20c'],
    ['http://other:80/a?b', '/a?b'],
    ['//other/a', '/a'],
    // No URLs: all of it is path.
    ['/100%', '/100%25'],
    ['/%zz?a', '/%25zz%3Fa'],
    [':a', '/:a'],
    ['/a\r\nX: y', '/a%0D%0AX:%20y'],
  ])('%j → %j', (path, want) => expect(urlPath(path)).toBe(want));

  it('returns a valid request line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        expect(urlPath(path)).toMatch(/^\/[\u0021-\u007e]*$/);
      }),
    );
  });

  it.each(['{', '% '])('returns a valid request line for a megabyte of %j', (text) => {
    const path = `/${text.repeat(1_000_000 / text.length)}`;
    const found = urlPath(path);
    expect(found.length).toBeGreaterThan(path.length);
    expect(found).toMatch(/^[\u0021-\u007e]+$/);
  });
});
