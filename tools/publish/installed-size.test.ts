import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedSize, sizeProblems } from './installed-size.ts';

describe('installedSize', () => {
  it('counts packages at any depth once, and whole blocks of files and folders', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sizes-'));
    const add = (path: string, bytes: number): void => {
      const file = join(folder.path, 'node_modules', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'a'.repeat(bytes));
    };
    add('a/package.json', 10);
    add('a/dist/package.json', 4097);
    add('@scope/b/package.json', 10);
    add('a/node_modules/@scope/b/package.json', 10);
    add('.package-lock.json', 10);
    const { packages, megabytes } = installedSize(folder.path);
    expect(packages).toEqual(['@scope/b', 'a']);
    // Seven folders, four small files, and one of two blocks.
    expect(megabytes * 2 ** 20).toBe((7 + 4 + 2) * 4096);
  });
});

describe('sizeProblems', () => {
  const limit = { packages: 2, megabytes: 10, without: ['ws'] };

  it('accepts an installation at its limit', () => {
    expect(sizeProblems({ packages: ['a', 'b'], megabytes: 10 }, limit)).toEqual([]);
  });

  it('names excess packages, megabytes and unwanted libraries', () => {
    expect(sizeProblems({ packages: ['a', 'b', 'ws'], megabytes: 10.04 }, limit)).toEqual([
      'installs 3 packages, at most 2: a b ws',
      'installs 10.0 MB, at most 10',
      'installs ws',
    ]);
  });
});
