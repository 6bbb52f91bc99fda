import { statfs } from 'node:fs/promises';

/** Size of a filesystem for an unprivileged user. */
export interface FsStats {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** Reads the size of the filesystem of a path. */
export type ReadFsStats = (path: string) => Promise<FsStats>;

/** {@link ReadFsStats} of the node. */
export const nodeFsStats: ReadFsStats = async (path) => {
  const { bsize, blocks, bavail } = await statfs(path);
  return { capacityBytes: bsize * blocks, availableBytes: bsize * bavail };
};
