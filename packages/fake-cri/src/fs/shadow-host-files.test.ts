import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createShadowHostFiles } from './shadow-host-files.ts';

describe('createShadowHostFiles', () => {
  let folder: string;
  let root: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shadow-'));
    root = join(folder, 'root');
    await mkdir(join(root, 'pods'), { recursive: true });
    await mkdir(join(folder, 'machine'));
    await writeFile(join(folder, 'machine/file'), 'of the machine\n');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('changes files below the root', async () => {
    const files = createShadowHostFiles(root);
    files.open(join(root, 'pods')).write('/log', 'x', false);
    await files.makeDirectory(join(root, 'a/b'));
    expect(await readFile(join(root, 'pods/log'), 'utf8')).toBe('x');
    expect(await readdir(join(root, 'a'))).toEqual(['b']);
  });

  it('reads other files, and does not change them', async () => {
    const mounted = createShadowHostFiles(root).open(join(folder, 'machine'));
    expect(mounted.read('/file')).toBe('of the machine\n');
    expect(mounted.list('/')).toEqual(['file']);
    expect(() => mounted.write('/file', 'x', false)).toThrow('Read-only file system');
    expect(() => mounted.makeDirectory('/d')).toThrow('Read-only file system');
    expect(() => mounted.remove('/file')).toThrow('Read-only file system');
  });

  it('does not follow a link below the root to a file outside of it', async () => {
    await symlink(join(folder, 'machine'), join(root, 'link'));
    const mounted = createShadowHostFiles(root).open(join(root, 'link'));
    expect(() => mounted.write('/new', 'x', false)).toThrow('Read-only file system');
  });

  it('creates what does not exist in the shadow of the machine', async () => {
    const files = createShadowHostFiles(root);
    const [directory, file] = [join(folder, 'new/directory'), join(folder, 'machine/created')];
    for (let times = 0; times < 2; times += 1) {
      await files.makeDirectory(directory);
      await files.makeFile(file);
    }
    files.open(directory).write('/log', 'x', false);
    expect(files.open(directory).read('/log')).toBe('x');
    expect(files.open(file).read('/')).toBe('');
    expect(await readdir(folder)).toEqual(['machine', 'root']);
    expect(await readdir(join(folder, 'machine'))).toEqual(['file']);
    expect(await readdir(join(root, 'host', folder))).toEqual(['machine', 'new']);
  });
});
