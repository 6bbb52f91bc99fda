import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readOwnFile, replaceFile, UnsafeFileError, unlessMissing } from './files.ts';

let base: string;
let path: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'component-base-'));
  path = join(base, 'state');
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe('readOwnFile', () => {
  it('reads what is there', async () => {
    expect(await readOwnFile(path, 10)).toBeUndefined();
    await replaceFile(path, 'text', 0o600);
    expect(await readOwnFile(path, 4)).toBe('text');
  });

  it('believes nothing that somebody else can have written', async () => {
    await replaceFile(path, 'text', 0o600);
    for (const mode of [0o620, 0o602]) {
      await chmod(path, mode);
      await expect(readOwnFile(path, 10)).rejects.toThrow(new UnsafeFileError(path, 'may be written by other users'));
    }
    await chmod(path, 0o644);
    const me = process.geteuid!();
    const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(me + 1);
    await expect(readOwnFile(path, 10)).rejects.toThrow(`belongs to user ${String(me)}`);
    geteuid.mockRestore();
    const link = join(base, 'link');
    await symlink(path, link);
    await expect(readOwnFile(link, 10)).rejects.toThrow('ELOOP');
  });

  it('reads nothing but a plain file, up to a size', async () => {
    await mkdir(path);
    await expect(readOwnFile(path, 10)).rejects.toThrow('is not a plain file');
    await rm(path, { recursive: true });
    await writeFile(path, '12345');
    await expect(readOwnFile(path, 4)).rejects.toThrow('has 5 bytes, of 4 at most');
  });
});

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
