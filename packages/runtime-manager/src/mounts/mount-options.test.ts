import { describe, expect, it } from 'vitest';
import { mountedSubPath } from './mount-options.ts';

describe('mountedSubPath', () => {
  it('rejects a path that no file can have, without its text', () => {
    const environment = new Map([['BIG', '/x'.repeat(2 ** 19)]]);
    const mount = { name: 'data', mountPath: '/data' };
    expect(mountedSubPath({ ...mount, subPath: 'x'.repeat(4095) }, environment)).toHaveLength(4095);
    for (const long of [{ subPath: 'x'.repeat(4096) }, { subPathExpr: '$(BIG)' }, { subPathExpr: '$(BIG)'.repeat(20) }])
      expect(() => mountedSubPath({ ...mount, ...long }, environment)).toThrow(
        /^the SubPath of volume "data" has more than 4095 characters$/,
      );
  });

  it('reports a long text of the pod cut: each attempt logs it, and the status has it', () => {
    const mount = { name: 'data', mountPath: '/data', subPathExpr: `$(${'X'.repeat(1_000_000)})` };
    expect(() => mountedSubPath(mount, new Map())).toThrow(/^missing value for X{2000,2048}…$/);
  });
});
