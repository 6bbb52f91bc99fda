import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { type OwnershipProgress, setVolumeGroup, volumeRoot } from './volume-ownership.ts';

it('gives a volume in which a container nests directories to its group as far as few open files reach', async () => {
  const memory = createMemoryFiles();
  memory.put(`/root/volume${'/d'.repeat(3_000)}/file`, 'x');
  memory.put('/root/volume/other', 'x');
  await using parent = await memory.nodeFiles.openDirectory('/root');
  await using volume = await parent!.openDirectory('volume');
  let most = 0;
  memory.fault = () => void (most = Math.max(most, memory.openHandles));
  const progress: OwnershipProgress = { visited: 0 };
  await setVolumeGroup(volume!, volumeRoot(parent!, 'volume'), { fsGroup: 2000, readOnly: false }, progress);
  expect(most).toBeLessThan(600);
  expect(progress.failure?.message).toMatch(/\/d is more than 512 directories deep$/);
  expect(['/root/volume', '/root/volume/d/d', '/root/volume/other'].map((path) => memory.info(path)?.gid)).toEqual([
    2000, 2000, 2000,
  ]);
});
