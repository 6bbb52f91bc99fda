import { closeSync, constants, fchmodSync, fsync, lstatSync } from 'node:fs';
import { lchown, link, lstat, mkdir, open, readdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import type { DirectoryHandle } from '../directory-handle.ts';
import { promisify } from 'node:util';
import { systemErrorCode, UnsafePathError } from '../errors.ts';
import { fileInfoOf } from './file-info-of.ts';
import { named, nameError } from './name-error.ts';
import { openDescriptor, writeAll } from './open-descriptor.ts';
import { mountIdOf, openEntryOf, openPlace } from './open-entry.ts';
import { openFileOf } from './open-file-handle.ts';
import { removeTreeAt } from './remove-tree.ts';
import { unlessMissing } from './unless-missing.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const PERMISSIONS = 0o7777;
const sync = promisify(fsync);

/** Opens a directory of the node by its path, links followed; `undefined` when there is none. No call on the handle leads out of the directory. */
export async function openHostDirectory(path: string): Promise<DirectoryHandle | undefined> {
  const opened = await unlessMissing(openDescriptor(path, O_RDONLY | O_DIRECTORY));
  return opened && directoryHandleOf(opened.fd, path);
}

/** Wraps an open directory, which disposal closes. */
export function directoryHandleOf(descriptor: number, path: string): DirectoryHandle {
  // Once the directory is closed it is -1, never the number of the next file.
  const handle = { fd: descriptor };
  const self = (): string => `/proc/self/fd/${String(handle.fd)}`;
  const pathOf = (name: string): string => `${path}/${name}`;
  const at = (name: string): string => {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
      throw new UnsafePathError('NotAName', pathOf(name));
    }
    return `${self()}/${name}`;
  };
  /** Turns the kernel's answer to O_NOFOLLOW into the reason. */
  const refusedBy = (error: unknown, name: string): unknown => {
    const code = systemErrorCode(error);
    if (code === 'ELOOP') return new UnsafePathError('SymbolicLink', pathOf(name), { cause: error });
    if (code === 'ENOTDIR') return new UnsafePathError('NotADirectory', pathOf(name), { cause: error });
    return nameError(error, path);
  };

  return {
    path,
    list: () => named(readdir(self()), path),
    async stat(name) {
      const stats = await named(unlessMissing(lstat(at(name), { bigint: true })), path);
      return stats && fileInfoOf(stats);
    },
    async openDirectory(name) {
      try {
        const below = await openDescriptor(at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        return directoryHandleOf(below.fd, pathOf(name));
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        // With O_DIRECTORY the kernel answers ENOTDIR for a link too.
        const isLink = (await unlessMissing(lstat(at(name))))?.isSymbolicLink() === true;
        throw isLink ? new UnsafePathError('SymbolicLink', pathOf(name), { cause: error }) : refusedBy(error, name);
      }
    },
    async openEntry(name) {
      if (name === '.') return named(openEntryOf(`${self()}/.`, path), path);
      return named(unlessMissing(openEntryOf(at(name), pathOf(name))), path);
    },
    async isMountPoint(name) {
      await using entry = await named(unlessMissing(openPlace(at(name))), path);
      return entry !== undefined && (await mountIdOf(entry.fd)) !== (await mountIdOf(handle.fd));
    },
    async openFile(name) {
      try {
        const file = await open(at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        return await openFileOf(file, pathOf(name));
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        throw refusedBy(error, name);
      }
    },
    async createFile(name, mode) {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      const file = await named(openDescriptor(at(name), flags, mode), path);
      try {
        fchmodSync(file.fd, mode);
      } catch (error) {
        file[Symbol.dispose]();
        throw error;
      }
      return {
        write: (bytes) => writeAll(file, bytes),
        sync: () => sync(file.fd),
        [Symbol.asyncDispose]: async () => file[Symbol.dispose](),
      };
    },
    async makeDirectory(name, mode) {
      await named(mkdir(at(name), { mode }), path);
      // Synchronous: the kernel has just made it. The mode differs where the umask takes away from it.
      if ((lstatSync(at(name)).mode & PERMISSIONS) !== mode) await this.chmod(name, mode);
    },
    symlink: async (target, name) => named(symlink(target, at(name)), path),
    readLink: async (name) => named(readlink(at(name)), path),
    rename: async (from, to) => named(rename(at(from), at(to)), path),
    async renameUnlessTaken(from, to) {
      try {
        // A rename would replace what is there.
        await link(at(from), at(to));
      } catch (error) {
        if (systemErrorCode(error) === 'EEXIST') return false;
        throw nameError(error, path);
      }
      await named(unlink(at(from)), path);
      return true;
    },
    async chmod(name, mode) {
      await using entry = await named(openEntryOf(at(name), pathOf(name)), path);
      await entry.chmod(mode);
    },
    chown: async (name, uid, gid) => named(lchown(at(name), uid, gid), path),
    async remove(name) {
      await named(unlessMissing(unlink(at(name))), path);
    },
    async removeDirectory(name) {
      await named(unlessMissing(rmdir(at(name))), path);
    },
    removeTree: async (name) => {
      at(name);
      await removeTreeAt(handle, name, pathOf(name));
    },
    sync: () => sync(handle.fd),
    async [Symbol.asyncDispose]() {
      if (handle.fd === CLOSED) return;
      closeSync(handle.fd);
      handle.fd = CLOSED;
    },
  };
}

const CLOSED = -1;
