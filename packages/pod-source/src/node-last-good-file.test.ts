import { chmod, mkdtemp, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeLastGoodFile } from './node-last-good-file.ts';

async function setUp() {
  const root = await mkdtemp(join(tmpdir(), 'static-pods-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return { root, file: nodeLastGoodFile(root), path: join(root, 'static_pods') };
}

describe('nodeLastGoodFile', () => {
  it('gives back what was written last, which only its user may read', async () => {
    const { root, file, path } = await setUp();
    expect(await file.read()).toBeUndefined();
    await file.write('one');
    await file.write('two');
    expect(await file.read()).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(root)).toEqual(['static_pods']);
  });

  it('believes no file that others can have written, and no other kind of file', async () => {
    const { root, file, path } = await setUp();
    await file.write('one');
    await chmod(path, 0o620);
    await expect(file.read()).rejects.toThrow('may be written by other users');
    await chmod(path, 0o600);
    await truncate(path, 65 * 1024 * 1024);
    await expect(file.read()).rejects.toThrow('bytes');
    await rm(path);
    await writeFile(join(root, 'elsewhere'), 'two');
    await symlink(join(root, 'elsewhere'), path);
    await expect(file.read()).rejects.toThrow('ELOOP');
    await file.write('three');
    expect(await file.read()).toBe('three');
  });
});
