import { stat, statfs } from 'node:fs/promises';
import type { Clock } from '@rxlet/component-base';
import { systemErrorCode } from '@rxlet/node-files';
import type { FileSystemUsage } from '../summary/fs-stats.ts';
import type { FileSystems } from '../summary/pod-statistics.ts';

/** Creates {@link FileSystems} of this host, whose root is that of the agent's root directory. */
export function createFileSystems(clock: Pick<Clock, 'now'>, rootDirectory: string): FileSystems {
  const measure = async (path: string): Promise<FileSystemUsage> => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
    return {
      timeMs: clock.now(),
      capacityBytes: blocks * bsize,
      availableBytes: bavail * bsize,
      usedBytes: (blocks - bfree) * bsize,
      inodes: files,
      inodesFree: ffree,
    };
  };
  return {
    root: () => measure(rootDirectory),
    async isOnRoot(path) {
      const [root, other] = await Promise.all([stat(rootDirectory), stat(path).catch(() => undefined)]);
      return root.dev === other?.dev;
    },
    async at(path) {
      try {
        return await measure(path);
      } catch (error) {
        // The runtime may be on another machine, or name a path of its own mount namespace.
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}
