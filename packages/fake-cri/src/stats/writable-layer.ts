import { create } from '@bufbuild/protobuf';
import { type FilesystemUsage, FilesystemUsageSchema } from '@rxlet/cri-api';
import type { Container } from '../container.ts';
import { lifeMs } from './life.ts';

/** Where the made-up file system of images and writable layers is mounted. */
export const FS_MOUNTPOINT = '/var/lib/fake-runtime';

/** What a writable layer begins with, and by how much it grows in a second, up to its bound. */
const BYTES = { first: 16_384n, perSecond: 16n, most: 4n * 1024n * 1024n } as const;
const INODES = 4n;

/** A container's writable layer at `now`: it grows while the container runs, and stays until it is removed. */
export function writableLayer(container: Container, now: bigint): FilesystemUsage {
  const bytes = BYTES.first + (BigInt(Math.floor(lifeMs(container, now))) * BYTES.perSecond) / 1000n;
  return create(FilesystemUsageSchema, {
    timestamp: now,
    fsId: { mountpoint: FS_MOUNTPOINT },
    usedBytes: { value: bytes < BYTES.most ? bytes : BYTES.most },
    inodesUsed: { value: INODES },
  });
}
