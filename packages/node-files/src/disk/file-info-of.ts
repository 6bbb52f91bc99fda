import type { BigIntStats } from 'node:fs';
import type { FileInfo, FileKind } from '../file-info.ts';

const PERMISSIONS = 0o7777n;
/** Unit of `st_blocks`, whatever the block size of the file system. */
const BLOCK_BYTES = 512;

/** Converts what the kernel reports of an entry. */
export function fileInfoOf(stats: BigIntStats): FileInfo {
  return {
    kind: kindOf(stats),
    sizeBytes: Number(stats.size),
    allocatedBytes: Number(stats.blocks) * BLOCK_BYTES,
    links: Number(stats.nlink),
    mode: Number(stats.mode & PERMISSIONS),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    modifiedMs: Number(stats.mtimeMs),
    identity: `${String(stats.dev)}:${String(stats.ino)}`,
    version: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':'),
  };
}

function kindOf(stats: BigIntStats): FileKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isSocket()) return 'socket';
  if (stats.isFIFO()) return 'fifo';
  return stats.isBlockDevice() ? 'block-device' : 'character-device';
}
