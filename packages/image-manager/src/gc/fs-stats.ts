import { statfs } from 'node:fs/promises';

/** The size of a filesystem, as an unprivileged user sees it. */
export interface FsStats {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** Tells the size of the filesystem that a path is on. */
export type ReadFsStats = (path: string) => Promise<FsStats>;

/** {@link ReadFsStats} of the node. */
export const nodeFsStats: ReadFsStats = async (path) => {
  const { bsize, blocks, bavail } = await statfs(path);
  return { capacityBytes: bsize * blocks, availableBytes: bsize * bavail };
};
