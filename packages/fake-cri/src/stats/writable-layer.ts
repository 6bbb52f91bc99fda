import { create } from '@bufbuild/protobuf';
import { type FilesystemUsage, FilesystemUsageSchema } from '@rxlet/cri-api';
import type { Container } from '../runtime-objects.ts';
import { lifeMs } from './life.ts';

/** Mount point of the file system of images and writable layers. A path that exists on every machine, because callers read its capacity from the machine. */
export const FS_MOUNTPOINT = '/';

/** Initial size of a writable layer, its growth in a second, and its bound. */
const BYTES = { first: 16_384n, perSecond: 16n, most: 4n * 1024n * 1024n } as const;
const INODES = 4n;

/** Returns the usage of a container's writable layer at `now`: it grows while the container runs, and stays until it is removed. */
export function writableLayer(container: Container, now: bigint): FilesystemUsage {
  const bytes = BYTES.first + (BigInt(Math.floor(lifeMs(container, now))) * BYTES.perSecond) / 1000n;
  return create(FilesystemUsageSchema, {
    timestamp: now,
    fsId: { mountpoint: FS_MOUNTPOINT },
    usedBytes: { value: bytes < BYTES.most ? bytes : BYTES.most },
    inodesUsed: { value: INODES },
  });
}
