import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNodeRecordDirectories } from './node-record-directory.ts';
import type { RecordDirectory } from './record-directory.ts';

let base: string;
let root: string;
let pulled: RecordDirectory;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'image-manager-'));
  root = join(base, 'root');
  ({ pulled } = createNodeRecordDirectories(root));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

describe('record directory', () => {
  it('is a kubelet’s, made with the first record, and private', async () => {
    expect([await pulled.list(), await pulled.read('f')]).toEqual([[], undefined]);
    await pulled.remove('f');
    expect(await readdir(base)).toEqual([]);
    await pulled.write('f', 'one');
    await pulled.write('f', 'two');
    expect([await pulled.list(), await pulled.read('f')]).toEqual([['f'], 'two']);
    const directory = join(root, 'image_manager/pulled');
    expect(pulled.path).toBe(directory);
    const modes = await Promise.all([join(root, 'image_manager'), directory, join(directory, 'f')].map(modeOf));
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    await pulled.remove('f');
    expect(await readdir(directory)).toEqual([]);
  });

  it('is closed to others if it was not', async () => {
    await pulled.write('f', 'one');
    await chmod(join(root, 'image_manager'), 0o755);
    expect(await pulled.read('f')).toBe('one');
    expect(await modeOf(join(root, 'image_manager'))).toBe(0o700);
  });

  it('gets over a write that was cut short', async () => {
    await pulled.write('f', 'one');
    await writeFile(join(pulled.path, 'f.tmp'), 'tw');
    expect([await pulled.list(), await pulled.read('f')]).toEqual([['f'], 'one']);
    await pulled.write('f', 'two');
    expect([await readdir(pulled.path), await pulled.read('f')]).toEqual([['f'], 'two']);
  });

  it('follows no link', async () => {
    const elsewhere = join(base, 'elsewhere');
    await mkdir(join(elsewhere, 'pulled'), { recursive: true });
    await writeFile(join(elsewhere, 'f'), 'secret');
    await pulled.write('g', 'text');
    await symlink(join(elsewhere, 'f'), join(pulled.path, 'f'));
    await expect(pulled.read('f')).rejects.toThrow('ELOOP');
    await pulled.write('f', 'text');
    expect([await readFile(join(elsewhere, 'f'), 'utf8'), await pulled.read('f')]).toEqual(['secret', 'text']);

    await rm(join(root, 'image_manager'), { recursive: true });
    await symlink(elsewhere, join(root, 'image_manager'));
    await expect(pulled.list()).rejects.toThrow('is a symbolic link');
    await expect(pulled.read('f')).rejects.toThrow('is a symbolic link');
    await expect(pulled.write('f', 'x')).rejects.toThrow('is a symbolic link');
    await expect(pulled.remove('f')).rejects.toThrow('is a symbolic link');
    expect(await readdir(join(elsewhere, 'pulled'))).toEqual([]);
  });

  it('reads nothing that is no record', async () => {
    await pulled.write('f', 'x'.repeat(1024 * 1024 + 1));
    await expect(pulled.read('f')).rejects.toThrow('has 1048577 bytes');
    await mkdir(join(pulled.path, 'd'));
    await expect(pulled.read('d')).rejects.toThrow('is not a plain file');
    await rm(pulled.path, { recursive: true });
    await writeFile(pulled.path, '');
    await expect(pulled.write('f', 'x')).rejects.toThrow('is not a directory');
  });

  it('of somebody else is not trusted', async () => {
    await pulled.write('f', 'one');
    const me = process.geteuid!();
    const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(me + 1);
    await expect(pulled.read('f')).rejects.toThrow(`belongs to user ${String(me)}`);
    geteuid.mockRestore();
  });
});
