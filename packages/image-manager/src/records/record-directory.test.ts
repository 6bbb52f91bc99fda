import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createRecordDirectory } from './record-directory.ts';

const parent = '/root/image_manager';
const path = `${parent}/pulled`;

function setUp() {
  const memory = createMemoryFiles({ roots: ['/root'] });
  return { memory, directory: createRecordDirectory(memory.nodeFiles, path) };
}

describe('record directory', () => {
  it('is created with the first record, for this user only', async () => {
    const { memory, directory } = setUp();
    expect([await directory.list(), await directory.read('f')]).toEqual([[], undefined]);
    await directory.remove('f');
    expect(memory.info(parent)).toBeUndefined();
    await directory.write('f', 'one');
    await directory.write('f', 'two');
    expect([await directory.list(), await directory.read('f')]).toEqual([['f'], 'two']);
    expect([parent, path, `${path}/f`].map((each) => memory.info(each)?.mode)).toEqual([0o700, 0o700, 0o600]);
    await directory.remove('f');
    expect(memory.paths()).toEqual([]);
  });

  it('is closed to other users by any call', async () => {
    const { memory, directory } = setUp();
    await directory.write('f', 'one');
    await memory.nodeFiles.chmod(parent, 0o755);
    expect(await directory.read('f')).toBe('one');
    expect(memory.info(parent)?.mode).toBe(0o700);
  });

  it('ignores the file of an interrupted write', async () => {
    const { memory, directory } = setUp();
    await directory.write('f', 'one');
    memory.put(`${path}/f.tmp`, 'tw', 0o600);
    expect([await directory.list(), await directory.read('f')]).toEqual([['f'], 'one']);
  });

  it('follows no symbolic link', async () => {
    const { memory, directory } = setUp();
    memory.put('/elsewhere/pulled/f', 'secret', 0o600);
    await directory.write('g', 'text');
    memory.putLink(`${path}/f`, '/elsewhere/pulled/f');
    await expect(directory.read('f')).rejects.toThrow('is a symbolic link');
    memory.remove(parent);
    memory.putLink(parent, '/elsewhere');
    for (const call of [directory.list(), directory.read('f'), directory.write('f', 'x'), directory.remove('f')]) {
      await expect(call).rejects.toThrow('is a symbolic link');
    }
    expect(memory.text('/elsewhere/pulled/f')).toBe('secret');
  });

  it('rejects files that are not records', async () => {
    const { memory, directory } = setUp();
    await directory.write('f', 'x'.repeat(1024 * 1024 + 1));
    await expect(directory.read('f')).rejects.toThrow('more than 1048576 bytes');
    memory.putDirectory(`${path}/d`);
    await expect(directory.read('d')).rejects.toThrow('is not a regular file');
    memory.remove(path);
    memory.put(path, '');
    await expect(directory.write('f', 'x')).rejects.toThrow('is not a directory');
  });

  it('rejects directories and files of another user, and files that others may write', async () => {
    const { memory, directory } = setUp();
    await directory.write('f', 'one');
    await memory.nodeFiles.chmod(`${path}/f`, 0o602);
    await expect(directory.read('f')).rejects.toThrow('is writable by other users');
    await memory.nodeFiles.chown(`${path}/f`, 1000, -1);
    await expect(directory.read('f')).rejects.toThrow('belongs to user 1000');
    await memory.nodeFiles.chown(path, 1000, -1);
    await expect(directory.list()).rejects.toThrow('belongs to user 1000');
  });
});
