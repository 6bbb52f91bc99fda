import { describe, expect, it } from 'vitest';
import { parseTarget } from './request-target.ts';

describe('parseTarget', () => {
  it.each([
    ['/', '', []],
    ['/pods', 'pods', []],
    ['/pods/?watch=true', 'pods', []],
    ['/containerLogs/default/web/main', 'containerLogs', ['default', 'web', 'main']],
    ['/healthz/a%2Fb%20c', 'healthz', ['a/b c']],
    ['http://localhost/pods', 'pods', []],
    // Not a host called pods.
    ['//pods/x', 'pods', ['x']],
    ['//', '', []],
  ])('takes %s apart', (target, endpoint, rest) => {
    expect(parseTarget(target)).toMatchObject({ endpoint, rest });
  });

  it('decodes parameters', () => {
    expect([...parseTarget('/pods?watch=true&x=%41+b&y').parameters]).toEqual([
      ['watch', 'true'],
      ['x', 'A b'],
      ['y', ''],
    ]);
  });

  it.each(['/pods/%zz', '/%', '/healthz/%C3', '*', ''])('refuses %s with 400', (target) => {
    expect(() => parseTarget(target)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
