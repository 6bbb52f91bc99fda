import { expect, it } from 'vitest';
import { createMemoryFileSystem } from '@rxlet/runtime-manager/testing';
import { recordDirectories } from './record-directories.ts';

it('keeps records where a kubelet does, and takes nothing half-written for one', async () => {
  const files = createMemoryFileSystem();
  const { pulled, pulling } = recordDirectories(files, '/root');
  expect([await pulled.list(), await pulled.read('f')]).toEqual([[], undefined]);
  await pulled.write('f', 'text');
  await files.writeFile(`${pulled.path}/g.tmp`, 'te', 0o600);
  expect([await pulled.list(), await pulled.read('f'), await pulling.list()]).toEqual([['f'], 'text', []]);
  expect(await files.exists('/root/image_manager/pulled/f')).toBe(true);
  await pulled.remove('f');
  expect(await pulled.list()).toEqual([]);
});
