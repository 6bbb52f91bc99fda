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

const CODE = Buffer.from('compiled code');
const file = (): string => join(folder, '.code-cache/app.cjs');

describe('CodeCache', () => {
  it('returns what an earlier process wrote, and leaves no other file', async () => {
    expect(new CodeCache(folder).write('app.cjs', CODE)).toBe(true);
    expect(new CodeCache(folder).read('app.cjs')).toEqual(CODE);
    expect(await readdir(join(folder, '.code-cache'))).toEqual(['app.cjs']);
  });

  it('replaces what was there', () => {
    const cache = new CodeCache(folder);
    cache.write('app.cjs', Buffer.from('old'));
    cache.write('app.cjs', CODE);
    expect(cache.read('app.cjs')).toEqual(CODE);
  });

  it('has nothing where nothing was written', () => {
    expect(new CodeCache(folder).read('app.cjs')).toBeUndefined();
  });

  it.each([
    ['shortened', (content: Buffer) => content.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['shorter than its checksum', (content: Buffer) => content.subarray(0, 3)],
    ['full of zeros', (content: Buffer) => Buffer.alloc(content.length)],
    ['changed by a bit', (content: Buffer) => Buffer.from(content.with(-1, content.at(-1)! ^ 1))],
  ])('has nothing where the file is %s', async (_, damage) => {
    const cache = new CodeCache(folder);
    cache.write('app.cjs', CODE);
    await writeFile(file(), damage(await readFile(file())));
    expect(cache.read('app.cjs')).toBeUndefined();
  });

  it('reports that it cannot write', async () => {
    await writeFile(join(folder, '.code-cache'), 'a file in the place of the folder');
    expect(new CodeCache(folder).write('app.cjs', CODE)).toBe(false);
  });
});
