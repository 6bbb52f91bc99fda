import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { readVolumeData, writeVolumeData } from './volume-data.ts';

it('records no volume whose record could not be read again', async () => {
  const { nodeFiles: files } = createMemoryFiles();
  await files.makeDirectory('/volume', 0o750);
  const write = (volumeHandle: string) => writeVolumeData(files, '/volume', { driverName: 'driver', volumeHandle });
  await write('x'.repeat(60_000));
  expect((await readVolumeData(files, '/volume'))?.volumeHandle).toHaveLength(60_000);
  await expect(write('x'.repeat(70_000))).rejects.toThrow('more than 64 KiB');
  expect((await readVolumeData(files, '/volume'))?.volumeHandle).toHaveLength(60_000);
});
