import type { VolumeUsage } from '@rxlet/agent-api';
import type { DirectoryHandle } from '@rxlet/node-files';

/**
 * Measures a directory with everything below it on the same mounts, like `du`: files of several names count once. Entries that disappear meanwhile do not count.
 */
export async function measureDirectory(directory: DirectoryHandle, signal?: AbortSignal): Promise<VolumeUsage> {
  const counted = new Set<string>();
  let usedBytes = 0;
  let inodes = 0;
  const visit = async (current: DirectoryHandle): Promise<void> => {
    for (const name of await current.list()) {
      signal?.throwIfAborted();
      const info = await current.stat(name);
      if (info === undefined || counted.has(info.identity)) continue;
      if (info.kind === 'directory') {
        if (await current.isMountPoint(name)) continue;
      } else if (info.links > 1) counted.add(info.identity);
      usedBytes += info.allocatedBytes;
      inodes += 1;
      if (info.kind !== 'directory') continue;
      await using below = await current.openDirectory(name).catch(() => undefined);
      if (below !== undefined) await visit(below);
    }
  };
  await using itself = await directory.openEntry('.');
  usedBytes += (await itself!.stat()).allocatedBytes;
  inodes += 1;
  await visit(directory);
  return { usedBytes, inodes };
}
