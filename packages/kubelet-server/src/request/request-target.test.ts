import { describe, expect, it } from 'vitest';
import { parseQuery, parseTarget } from './request-target.ts';

describe('parseTarget', () => {
  it.each([
    ['/', '/', ''],
    ['/pods/?watch=true', '/pods/', '?watch=true'],
    ['/healthz/a%2Fb%20c', '/healthz/a/b c', ''],
    ['/healthz/%C3', '/healthz/\u00c3', ''],
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
});
