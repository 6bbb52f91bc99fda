import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile, unlessMissing } from './files.ts';

let base: string;
let path: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'component-base-'));
  path = join(base, 'state');
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe('replaceFile', () => {
  it('replaces a file as a whole, with its mode, leaving nothing else behind', async () => {
    await replaceFile(path, 'a long first version', 0o600);
    const before = process.umask(0o077);
    try {
      await replaceFile(path, Buffer.from('second'), 0o640);
    } finally {
      process.umask(before);
    }
    expect(await readFile(path, 'utf8')).toBe('second');
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
    expect(await readdir(base)).toEqual(['state']);
  });

  it('takes no account of what is in the place of the temporary file, be it a link', async () => {
    const precious = join(base, 'precious');
    await writeFile(precious, 'precious');
    await symlink(precious, `${path}.tmp`);
    await replaceFile(path, 'content', 0o600);
    expect([await readFile(precious, 'utf8'), await readFile(path, 'utf8')]).toEqual(['precious', 'content']);
  });

  it('replaces a link, not what it leads to', async () => {
    const precious = join(base, 'precious');
    await writeFile(precious, 'precious');
    await symlink(precious, path);
    await replaceFile(path, 'content', 0o600);
    expect([await readFile(precious, 'utf8'), await readFile(path, 'utf8')]).toEqual(['precious', 'content']);
  });

  it('leaves the old file, and nothing beside it, when it fails', async () => {
    await mkdir(path);
    await writeFile(join(path, 'inside'), '');
    await expect(replaceFile(path, 'content', 0o600)).rejects.toThrow('EISDIR');
    expect([await readdir(base), await readdir(path)]).toEqual([['state'], ['inside']]);
    await expect(replaceFile(join(base, 'none/state'), 'content', 0o600)).rejects.toThrow('ENOENT');
  });
});

describe('unlessMissing', () => {
  it('swallows that there is no such file, and nothing else', async () => {
    expect(await unlessMissing(readFile(path))).toBeUndefined();
    await writeFile(path, 'text');
    expect(await unlessMissing(readFile(path, 'utf8'))).toBe('text');
    await expect(unlessMissing(readdir(path))).rejects.toThrow('ENOTDIR');
  });
});
