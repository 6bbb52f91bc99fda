import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnsafeFileError } from '@rxlet/component-base/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeCheckpointFile } from './node-checkpoint-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rxlet-checkpoint-'));
});
afterEach(() => rm(root, { recursive: true }));
const path = (): string => join(root, 'pod_statuses');

describe('createNodeCheckpointFile', () => {
  it('writes whole files for its user alone, and reads them', async () => {
    const file = createNodeCheckpointFile(root);
    expect(file.path).toBe(path());
    expect(await file.read()).toBeUndefined();
    await file.write('one');
    await file.write('two');
    expect(await file.read()).toBe('two');
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await readdir(root)).toEqual(['pod_statuses']);
  });

  it('makes the directory', async () => {
    const file = createNodeCheckpointFile(join(root, 'not', 'there'));
    expect(await file.read()).toBeUndefined();
    await file.write('text');
    expect(await file.read()).toBe('text');
  });

  it('is not led astray by what a write that was cut off has left, nor by links', async () => {
    const victim = join(root, 'victim');
    await writeFile(victim, 'mine');
    await symlink(victim, join(root, 'pod_statuses.tmp'));
    await symlink(victim, path());
    const file = createNodeCheckpointFile(root);
    await expect(file.read()).rejects.toThrow('ELOOP');
    await file.write('text');
    expect(await file.read()).toBe('text');
    expect(await readFile(victim, 'utf8')).toBe('mine');
  });

  it('does not believe a file that others may write', async () => {
    const file = createNodeCheckpointFile(root);
    await file.write('text');
    await chmod(path(), 0o666);
    await expect(file.read()).rejects.toThrow(UnsafeFileError);
    expect(await file.setAside()).toBe(`${path()}.corrupt`);
    expect(await file.read()).toBeUndefined();
    expect(await readdir(root)).toEqual(['pod_statuses.corrupt']);
  });

  it('does not take anything but a plain file', async () => {
    const file = createNodeCheckpointFile(join(root, 'sub'));
    await createNodeCheckpointFile(join(root, 'sub', 'pod_statuses')).write('text');
    await expect(file.read()).rejects.toThrow('is not a plain file');
    await expect(file.write('text')).rejects.toThrow('EISDIR');
    expect(await readdir(join(root, 'sub'))).toEqual(['pod_statuses']);
  });

  it('does not read what no node can have written', async () => {
    const file = createNodeCheckpointFile(root);
    await file.write('text');
    await truncate(path(), 65 * 1024 * 1024);
    await expect(file.read()).rejects.toThrow('bytes');
  });
});
