import { seededRandom, systemClock } from '@rxlet/component-base';
import type { DirectoryHandle } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { removeStaleVersions, writePayload } from './write-payload.ts';

it('removes the names of files that the volume no longer has, also after a failure to do so', async () => {
  const { nodeFiles } = createMemoryFiles();
  await nodeFiles.makeDirectory('/root/volume', 0o755);
  await using volume = (await nodeFiles.openDirectory('/root/volume'))!;
  // A mount point of a container, which is no file of the payload.
  await volume.makeDirectory('nested', 0o755);
  const ports = { clock: systemClock, random: seededRandom(1) };
  const write = async (directory: DirectoryHandle, ...names: readonly string[]): Promise<boolean> => {
    await removeStaleVersions(directory);
    const content = new TextEncoder().encode('content');
    return writePayload(directory, new Map(names.map((name) => [name, { content, mode: 0o644 }])), ports);
  };
  await write(volume, 'kept', 'removed', 'below/removed');
  const failing = Object.assign(Object.create(volume) as DirectoryHandle, {
    remove: async () => Promise.reject(new Error('input/output error')),
  });
  await expect(write(failing, 'kept')).rejects.toThrow('input/output error');
  expect(await write(volume, 'kept')).toBe(false);
  expect((await volume.list()).filter((name) => !name.startsWith('..')).toSorted()).toEqual(['kept', 'nested']);
});
