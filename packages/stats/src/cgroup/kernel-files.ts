import { closeSync, openSync, readlinkSync, readSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** Port to the files of the kernel: `/proc`, `/sys` and the cgroup file systems. What has gone reads as nothing. */
export interface KernelFiles {
  /** Returns the text of a file, at most one MiB of it; `undefined` when it cannot be read. */
  read(path: string): string | undefined;
  /** Returns the names in a directory; none when it cannot be read. */
  list(path: string): Promise<readonly string[]>;
  /** Returns the target of a link. */
  readLink(path: string): string | undefined;
  /** Returns when a file or directory was last modified, in milliseconds since the epoch. */
  modifiedMs(path: string): number | undefined;
}

const MAX_BYTES = 1024 * 1024;
const FIRST_BYTES = 16 * 1024;

/**
 * Creates {@link KernelFiles} of this host. Files are read synchronously: the kernel answers from memory, and a thousand small reads through a thread pool
 * would cost many times as much as the reads themselves. Directories are listed asynchronously, so that other work runs between two cgroups.
 */
export function createKernelFiles(): KernelFiles {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  const readAll = (path: string): string => {
    const file = openSync(path, 'r');
    try {
      let length = 0;
      for (;;) {
        if (length === buffer.length) {
          if (length >= MAX_BYTES) break;
          buffer = Buffer.concat([buffer], length * 2);
        }
        const count = readSync(file, buffer, length, buffer.length - length, null);
        if (count === 0) break;
        length += count;
      }
      return buffer.toString('utf8', 0, length);
    } finally {
      closeSync(file);
    }
  };
  return {
    read: (path) => unlessUnreadable(() => readAll(path)),
    list: (path) => readdir(path).catch(() => []),
    readLink: (path) => unlessUnreadable(() => readlinkSync(path)),
    modifiedMs: (path) => unlessUnreadable(() => statSync(path).mtimeMs),
  };
}

/** Cgroups and processes end at any moment, and controllers lack files on some kernels. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
