import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CodeCache } from './code-cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'code-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SOURCE = 0x12345678;
const CODE = Buffer.from('compiled code');
const file = (): string => join(folder, '.code-cache/app.cjs');

describe('CodeCache', () => {
  it('returns what an earlier process wrote, and leaves no other file', async () => {
    expect(new CodeCache(folder).write('app.cjs', SOURCE, CODE)).toBe(true);
    expect(new CodeCache(folder).read('app.cjs', SOURCE)).toEqual(CODE);
    expect(await readdir(join(folder, '.code-cache'))).toEqual(['app.cjs']);
  });

  it('replaces what was there', () => {
    const cache = new CodeCache(folder);
    cache.write('app.cjs', SOURCE, Buffer.from('old'));
    cache.write('app.cjs', SOURCE, CODE);
    expect(cache.read('app.cjs', SOURCE)).toEqual(CODE);
  });

  it('has nothing for another source of the chunk', () => {
    const cache = new CodeCache(folder);
    cache.write('app.cjs', SOURCE, CODE);
    expect(cache.read('app.cjs', SOURCE + 1)).toBeUndefined();
  });

  it('has nothing for an engine of another version or architecture', () => {
    new CodeCache(folder, 'v24.0.0 x64').write('app.cjs', SOURCE, CODE);
    expect(new CodeCache(folder, 'v24.0.0 x64').read('app.cjs', SOURCE)).toEqual(CODE);
    expect(new CodeCache(folder, 'v24.0.0 arm64').read('app.cjs', SOURCE)).toBeUndefined();
  });

  it('has nothing where nothing was written', () => {
    expect(new CodeCache(folder).read('app.cjs', SOURCE)).toBeUndefined();
  });

  it.each([
    ['shortened', (content: Buffer) => content.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['shorter than its checksums', (content: Buffer) => content.subarray(0, 11)],
    ['full of zeros', (content: Buffer) => Buffer.alloc(content.length)],
    ['changed by a bit', (content: Buffer) => Buffer.from(content.with(-1, content.at(-1)! ^ 1))],
  ])('has nothing where the file is %s', async (_, damage) => {
    const cache = new CodeCache(folder);
    cache.write('app.cjs', SOURCE, CODE);
    await writeFile(file(), damage(await readFile(file())));
    expect(cache.read('app.cjs', SOURCE)).toBeUndefined();
  });

  it('reports that it cannot write', async () => {
    await writeFile(join(folder, '.code-cache'), 'a file in the place of the folder');
    expect(new CodeCache(folder).write('app.cjs', SOURCE, CODE)).toBe(false);
  });
});
