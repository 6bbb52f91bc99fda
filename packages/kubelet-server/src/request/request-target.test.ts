import { describe, expect, it } from 'vitest';
import { seededRandom } from '@rxlet/component-base';
import { parseQuery, parseTarget, unescapePath } from './request-target.ts';

describe('parseTarget', () => {
  it.each([
    ['/', '/', ''],
    ['/pods/?watch=true', '/pods/', '?watch=true'],
    ['/healthz/a%2Fb%20c', '/healthz/a/b c', ''],
    ['/healthz/%C3', '/healthz/\u00c3', ''],
    ['/healthz/%C3%a9/%C3%A9x\u00e9', '/healthz/\u00e9/\u00e9x\u00e9', ''],
    // An encoded byte that is not UTF-8, and one that is next to a byte that was sent as it is.
    ['/healthz/%E9/%41', '/healthz/\u00e9/A', ''],
    ['/healthz/%C3\u00a9', '/healthz/\u00c3\u00a9', ''],
    ['/healthz/%ED%A0%80', '/healthz/\u00ed\u00a0\u0080', ''],
    ['http://localhost/pods', '/pods', ''],
    ['http://localhost', '/', ''],
    ['http://localhost?x=1', '/', '?x=1'],
    // Not a host called pods.
    ['//pods/x', '//pods/x', ''],
    ['/a?b?c', '/a', '?b?c'],
  ])('takes %s apart', (target, path, query) => {
    expect(parseTarget(target)).toMatchObject({ path, query });
  });

  it.each(['/pods/%zz', '/%', '*', 'pods', 'localhost:80'])('rejects %s with 400', (target) => {
    expect(() => parseTarget(target)).toThrow(expect.objectContaining({ status: 400, message: '400 Bad Request' }));
  });
});

describe('parseQuery', () => {
  it.each([
    [
      'watch=true&x=%41+b&y',
      [
        ['watch', 'true'],
        ['x', 'A b'],
        ['y', ''],
      ],
    ],
    ['command=echo;ls&command=b', [['command', 'b']]],
    [
      'a=%zz&b=1&&=2',
      [
        ['b', '1'],
        ['', '2'],
      ],
    ],
    [
      'a=1&a=2=3',
      [
        ['a', '1'],
        ['a', '2=3'],
      ],
    ],
  ])('keeps of "%s" what Go keeps', (query, expected) => {
    expect([...parseQuery(query)]).toEqual(expected);
  });

  it('decodes bytes as decodeURIComponent does, and others one by one', () => {
    const random = seededRandom(1);
    const bytes = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef];
    const chosen = [...bytes, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff]
      .map((byte) => `%${byte.toString(16)}`)
      .concat('\u00e9');
    for (let count = 0; count < 20_000; count += 1) {
      const text = Array.from({ length: 5 }, () => chosen[Math.floor(random.next() * chosen.length)]!).join('');
      let expected: string;
      try {
        expected = decodeURIComponent(text);
      } catch {
        expected = unescape(text);
      }
      expect(unescapePath(text)).toBe(expected);
    }
  });
});
