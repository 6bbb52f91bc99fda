import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { LogDirectories, LogDirectory } from '../logs/log-directories.ts';
import { LogRotationError } from '../logs/log-rotation-error.ts';

/** Options of {@link createNodeLogDirectories}. */
export interface NodeLogDirectoriesOptions {
  /** The directory of pod logs (`/var/log/pods`). It may be a link, an administrator's choice; nothing below it may. */
  readonly root: string;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const PERMISSIONS = 0o777;
const BLOCK = 64 * 1024;

/**
 * Creates {@link LogDirectories} on the node's own files. Each directory on the way is opened from the one above it (by `/proc/self/fd`) and must be none
 * that a link leads to, so that no link can lead out, be it put there at the worst moment.
 */
export function createNodeLogDirectories({ root }: NodeLogDirectoriesOptions): LogDirectories {
  const resolvedRoot = resolve(root);
  const resolveBelow = (path: string): string => {
    const absolute = resolve(path);
    if (absolute === resolvedRoot || absolute.startsWith(resolvedRoot + sep)) return absolute;
    throw new LogRotationError('UnsafePath', `${path} is outside of the directory of pod logs`);
  };
  return {
    async glance(path) {
      const stats = await unlessMissing(lstat(resolveBelow(path)));
      return stats?.isFile() === true ? stats.size : undefined;
    },
    async open(path) {
      const absolute = resolveBelow(path);
      const names = absolute
        .slice(resolvedRoot.length)
        .split(sep)
        .filter((name) => name !== '');
      let handle = await unlessMissing(open(resolvedRoot, O_RDONLY | O_DIRECTORY));
      for (const name of names) {
        if (handle === undefined) return undefined;
        await using above = handle;
        handle = await unlessMissing(
          open(`/proc/self/fd/${String(above.fd)}/${name}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
        ).catch((error: unknown) => {
          // With O_DIRECTORY the kernel says of a link that it is no directory.
          if (codeOf(error) !== 'ELOOP' && codeOf(error) !== 'ENOTDIR') throw error;
          throw new LogRotationError('UnsafePath', `${name} in ${path} is a link, or no directory`, { cause: error });
        });
      }
      return handle === undefined ? undefined : nodeLogDirectory(handle);
    },
  };
}

function nodeLogDirectory(handle: FileHandle): LogDirectory {
  // Asked for each time: once the handle is closed it is -1, and never the number of whatever is opened next.
  const self = (): string => `/proc/self/fd/${String(handle.fd)}`;
  const at = (name: string): string => {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new LogRotationError('UnsafePath', `${name} is no name of a file`);
    }
    return `${self()}/${name}`;
  };
  return {
    list: () => readdir(self()),
    async lstat(name) {
      const stats = await unlessMissing(lstat(at(name), { bigint: true }));
      if (stats === undefined) return undefined;
      return {
        isFile: stats.isFile(),
        sizeBytes: Number(stats.size),
        identity: `${String(stats.dev)}:${String(stats.ino)}`,
      };
    },
    rename: async (from, to) => rename(at(from), at(to)),
    async renameUnlessTaken(from, to) {
      try {
        // A rename would replace what is there.
        await link(at(from), at(to));
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      }
      await unlink(at(from));
      return true;
    },
    async remove(name) {
      await unlessMissing(unlink(at(name)));
    },
    async compress(name, signal) {
      // Not blocking, in case it is a pipe.
      await using source = await open(at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stats = await source.stat();
      if (!stats.isFile()) throw new LogRotationError('NotAFile', `${name} is no regular file`);
      const temporary = at(`${name}.tmp`);
      const mode = stats.mode & PERMISSIONS;
      const target = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      try {
        try {
          await target.chmod(mode);
          await pipeline(contentOf(source), createGzip(), writeTo(target), { signal });
          await target.sync();
        } finally {
          await target.close();
        }
        // Removed with its container: then a compressed copy would be nobody's.
        if ((await source.stat()).nlink === 0) {
          await unlink(temporary);
          return;
        }
        await rename(temporary, at(`${name}.gz`));
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw error;
      }
      // The new name must be on disk before the old one goes.
      await handle.sync();
      await unlessMissing(unlink(at(name)));
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function* contentOf(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(BLOCK), 0, BLOCK, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function writeTo(file: FileHandle): (blocks: AsyncIterable<Uint8Array>) => Promise<void> {
  return async (blocks) => {
    for await (const block of blocks) await file.writeFile(block);
  };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
