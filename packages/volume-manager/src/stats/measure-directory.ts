import type { VolumeUsage } from '@rxlet/agent-api/volumes';
import type { DirectoryHandle } from '@rxlet/node-files';

/** Each level needs a file descriptor, and a container decides on the depth. */
const MAX_DEPTH = 512;

/**
 * Measures a directory with everything below it on the same mounts, like `du`: files of several names count once. Entries that disappear meanwhile do not
 * count, nor does the content of directories below a depth of 512.
 */
export async function measureDirectory(directory: DirectoryHandle, signal?: AbortSignal): Promise<VolumeUsage> {
  const counted = new Set<string>();
  let usedBytes = 0;
  let inodes = 0;
  const visit = async (current: DirectoryHandle, depth: number): Promise<void> => {
    for (const name of await current.list()) {
      signal?.throwIfAborted();
      const info = await current.stat(name);
      if (info === undefined || counted.has(info.identity)) continue;
      if (info.kind === 'directory') {
        if (await current.isMountPoint(name)) continue;
      } else if (info.links > 1) counted.add(info.identity);
      usedBytes += info.allocatedBytes;
      inodes += 1;
      if (info.kind !== 'directory' || depth === MAX_DEPTH) continue;
      await using below = await current.openDirectory(name).catch(() => undefined);
      if (below !== undefined) await visit(below, depth + 1);
    }
  };
  await using itself = await directory.openEntry('.');
  usedBytes += (await itself!.stat()).allocatedBytes;
  inodes += 1;
  await visit(directory, 0);
  return { usedBytes, inodes };
}
