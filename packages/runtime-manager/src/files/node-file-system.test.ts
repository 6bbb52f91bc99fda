import { mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from './file-system.ts';
import { createNodeFileSystem } from './node-file-system.ts';

let base: string;
let root: string;
let files: FileSystem;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'runtime-manager-'));
  root = join(base, 'root');
  files = createNodeFileSystem({ roots: [root] });
  await files.makeDirectory(root, 0o750);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

describe('node file system', () => {
  it('replaces a file as a whole, leaving nothing else behind', async () => {
    const path = join(root, 'state');
    await files.replaceFile(path, 'a long first version', 0o600);
    const before = process.umask(0o077);
    try {
      await files.replaceFile(path, 'second', 0o640);
    } finally {
      process.umask(before);
    }
    expect(await readFile(path, 'utf8')).toBe('second');
    expect(await modeOf(path)).toBe(0o640);
    expect(await files.list(root)).toEqual(['state']);
  });

  it('replaces no file by way of what somebody left in the place of the temporary one', async () => {
    const path = join(root, 'state');
    const outside = join(base, 'outside');
    await writeFile(outside, 'precious');
    await symlink(outside, `${path}.tmp`);
    await files.replaceFile(path, 'content', 0o600);
    expect(await readFile(outside, 'utf8')).toBe('precious');
    expect(await readFile(path, 'utf8')).toBe('content');
  });

  it('keeps the old file when it cannot be replaced', async () => {
    const path = join(root, 'state');
    await files.replaceFile(path, 'old', 0o600);
    await mkdir(`${path}.tmp`);
    await expect(files.replaceFile(path, 'new', 0o600)).rejects.toThrow();
    expect(await readFile(path, 'utf8')).toBe('old');
    await symlink(join(base, 'outside'), join(root, 'link'));
    await expect(files.replaceFile(join(root, 'link'), 'new', 0o600)).rejects.toThrow('is a symbolic link');
  });

  it('gives files and directories their modes whatever the umask', async () => {
    const before = process.umask(0o077);
    try {
      await files.makeDirectory(join(root, 'a/b'), 0o755);
      await files.createFile(join(root, 'a/b/message'), 0o666);
      await files.writeFile(join(root, 'a/hosts'), 'text', 0o644);
    } finally {
      process.umask(before);
    }
    const modes = await Promise.all(['a', 'a/b', 'a/b/message', 'a/hosts'].map((path) => modeOf(join(root, path))));
    expect(modes).toEqual([0o755, 0o755, 0o666, 0o644]);
  });

  it('makes the same directory several times at once', async () => {
    const paths = ['a/b/c', 'a/b', 'a/b/d', 'a/b/c'].map((path) => join(root, path));
    await Promise.all(paths.map((path) => files.makeDirectory(path, 0o750)));
    expect(await Promise.all(paths.map(modeOf))).toEqual([0o750, 0o750, 0o750, 0o750]);
  });

  it('makes no directory in the place of a file or below it', async () => {
    await files.writeFile(join(root, 'f'), 'text', 0o644);
    await expect(files.makeDirectory(join(root, 'f/x'), 0o755)).rejects.toThrow('ENOTDIR');
    expect(await readFile(join(root, 'f'), 'utf8')).toBe('text');
  });

  it('leaves a directory that is there as it is', async () => {
    await files.makeDirectory(join(root, 'a'), 0o700);
    await files.makeDirectory(join(root, 'a/b'), 0o755);
    expect(await modeOf(join(root, 'a'))).toBe(0o700);
  });

  it('writes in place, so that what is mounted stays the same file', async () => {
    const path = join(root, 'hosts');
    await files.writeFile(path, 'a long first version', 0o644);
    const { ino } = await stat(path);
    await files.writeFile(path, 'second', 0o644);
    expect([await readFile(path, 'utf8'), (await stat(path)).ino]).toEqual(['second', ino]);
  });

  it('does not make a file twice', async () => {
    await files.createFile(join(root, 'f'), 0o600);
    await expect(files.createFile(join(root, 'f'), 0o600)).rejects.toThrow('EEXIST');
  });

  it('reads the end of a file, and nothing of one that is missing', async () => {
    await files.writeFile(join(root, 'f'), '0123456789', 0o600);
    expect(Buffer.from((await files.readTail(join(root, 'f'), 4))!).toString()).toBe('6789');
    expect(Buffer.from((await files.readTail(join(root, 'f'), 100))!).toString()).toBe('0123456789');
    expect(await files.readTail(join(root, 'missing'), 4)).toBeUndefined();
  });

  it('takes no offence at what is not there', async () => {
    const missing = join(root, 'missing/thing');
    expect(await files.list(missing)).toEqual([]);
    expect(await files.exists(missing)).toBe(false);
    expect(await files.removeEmptyDirectory(missing)).toBe(true);
    await files.removeFile(missing);
    await files.removeTree(missing);
  });

  it('replaces a link, and tells whether it leads anywhere', async () => {
    const link = join(root, 'link');
    await files.link('/nowhere/at/all', link);
    expect(await files.exists(link)).toBe(false);
    await files.link(base, link);
    expect([await readlink(link), await files.exists(link)]).toEqual([base, true]);
    await files.removeFile(link);
    expect((await stat(base)).isDirectory()).toBe(true);
  });

  it('removes a directory only if it is empty', async () => {
    await files.makeDirectory(join(root, 'a/b'), 0o755);
    expect(await files.removeEmptyDirectory(join(root, 'a'))).toBe(false);
    expect(await files.removeEmptyDirectory(join(root, 'a/b'))).toBe(true);
    expect(await files.removeEmptyDirectory(join(root, 'a'))).toBe(true);
  });

  it('works in a root that is itself a link', async () => {
    await mkdir(join(base, 'real'));
    await symlink(join(base, 'real'), join(base, 'linked'));
    const linked = createNodeFileSystem({ roots: [join(base, 'linked')] });
    await linked.makeDirectory(join(base, 'linked/a'), 0o755);
    await linked.writeFile(join(base, 'linked/a/f'), 'text', 0o644);
    expect(await readFile(join(base, 'real/a/f'), 'utf8')).toBe('text');
  });
});

describe('node file system against links', () => {
  let secret: string;
  beforeEach(async () => {
    secret = join(base, 'secret');
    await mkdir(secret);
    await writeFile(join(secret, 'f'), 'secret');
    await symlink(secret, join(root, 'evil'));
    await symlink(join(secret, 'f'), join(root, 'evil-file'));
  });

  it.each([
    ['makeDirectory', () => files.makeDirectory(join(root, 'evil/x'), 0o755)],
    ['makeDirectory of the link itself', () => files.makeDirectory(join(root, 'evil'), 0o755)],
    ['writeFile', () => files.writeFile(join(root, 'evil/f'), 'x', 0o644)],
    ['writeFile to the link itself', () => files.writeFile(join(root, 'evil-file'), 'x', 0o644)],
    ['createFile', () => files.createFile(join(root, 'evil/x'), 0o644)],
    ['readTail', () => files.readTail(join(root, 'evil/f'), 10)],
    ['readTail of the link itself', () => files.readTail(join(root, 'evil-file'), 10)],
    ['list', () => files.list(join(root, 'evil'))],
    ['link', () => files.link('/x', join(root, 'evil/x'))],
    ['removeFile', () => files.removeFile(join(root, 'evil/f'))],
    ['removeTree', () => files.removeTree(join(root, 'evil/f'))],
    ['removeEmptyDirectory', () => files.removeEmptyDirectory(join(root, 'evil/f'))],
  ])('%s refuses to go through one', async (_name, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ reason: 'SymbolicLink' });
    expect(await readFile(join(secret, 'f'), 'utf8')).toBe('secret');
  });

  it('removes a link in a tree, not what it leads to', async () => {
    await files.makeDirectory(join(root, 'tree'), 0o755);
    await symlink(secret, join(root, 'tree/link'));
    await files.removeTree(join(root, 'tree'));
    expect(await readFile(join(secret, 'f'), 'utf8')).toBe('secret');
    expect(await files.exists(join(root, 'tree'))).toBe(false);
  });

  it('does nothing outside of the roots', async () => {
    for (const path of [join(secret, 'f'), join(root, '../secret/f'), `${root}-other/f`]) {
      await expect(files.writeFile(path, 'x', 0o644)).rejects.toMatchObject({ reason: 'OutsideRoots' });
      await expect(files.removeTree(path)).rejects.toMatchObject({ reason: 'OutsideRoots' });
    }
    expect(await readFile(join(secret, 'f'), 'utf8')).toBe('secret');
  });
});
