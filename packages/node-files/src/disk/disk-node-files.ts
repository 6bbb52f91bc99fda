import {
  closeSync,
  constants,
  fchmod,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  read,
  type Stats,
} from 'node:fs';
import { chmod, lchown, lstat, mkdir, open, readdir, rename, rmdir, stat, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { DirectoryHandle } from '../directory-handle.ts';
import { systemErrorCode, UnsafeFileError, UnsafePathError } from '../errors.ts';
import type { NodeFiles } from '../node-files.ts';
import { directoryHandleOf, openHostDirectory } from './disk-directory-handle.ts';
import { fileInfoOf } from './file-info-of.ts';
import { openDescriptor, readRegularFile, writeAll } from './open-descriptor.ts';
import { unlessMissing } from './unless-missing.ts';

/** Options of {@link createNodeFiles}. */
export interface NodeFilesOptions {
  /** Directories of the agent's own, such as its root directory and that of pod logs. Nothing outside of them is touched. */
  readonly roots: readonly string[];
}

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const PERMISSIONS = 0o7777;
const readAt = promisify(read);
const changeMode = promisify(fchmod);
const sync = promisify(fsync);
const syncData = promisify(fdatasync);
const WRITABLE_BY_OTHERS = 0o022;
const ACCESS_OF_OTHERS = 0o077;

/**
 * Creates {@link NodeFiles} on the node's disks.
 *
 * A root may itself be a link, as an administrator's choice; below it no component of a path may be one. Each use is preceded by a check of the directories, and files
 * are opened so that a link in the last place fails in the kernel. To put a link there in between, a process would need write access to the agent's own directories, which no
 * container has. In directories that containers write to, {@link NodeFiles.openDirectory} leaves no such gap.
 *
 * @example
 * ```ts
 * import { createNodeFiles } from '@rxlet/node-files';
 *
 * const files = createNodeFiles({ roots: ['/var/lib/rxlet'] });
 * await files.makeDirectory('/var/lib/rxlet/pods', 0o750);
 * await files.replaceFile('/var/lib/rxlet/pods/state.json', '{}', 0o600);
 * ```
 */
export function createNodeFiles({ roots }: NodeFilesOptions): NodeFiles {
  const resolvedRoots = roots.map((root) => resolve(root));

  const split = (path: string): { readonly root: string; readonly names: readonly string[] } => {
    const absolute = resolve(path);
    const root = resolvedRoots.find((candidate) => absolute === candidate || absolute.startsWith(prefixOf(candidate)));
    if (root === undefined) throw new UnsafePathError('OutsideRoots', path);
    return { root, names: absolute.slice(root.length).split(sep).filter(Boolean) };
  };
  /** The directories from just below the root down to the path. */
  const componentsBelowRoot = (path: string): readonly string[] => {
    const { root, names } = split(path);
    return names.map((_, index) => prefixOf(root) + names.slice(0, index + 1).join(sep));
  };
  /** Checks the directories above the last component, which are the agent's own. Returns the components that do not exist. */
  const refuseLinksAbove = (components: readonly string[]): readonly string[] => {
    for (const [index, component] of components.slice(0, -1).entries()) {
      const stats = statsOf(component);
      if (stats === undefined) return components.slice(index);
      if (stats.isSymbolicLink()) throw new UnsafePathError('SymbolicLink', component);
    }
    return [];
  };
  /** For calls that act on the entry itself, and those that the kernel refuses to follow a link in the last place. */
  const checkParent = (path: string): void => void refuseLinksAbove(componentsBelowRoot(path));
  /** Returns the attributes of the last component, which is no link; `undefined` when there is nothing. */
  const checkAll = async (path: string): Promise<Stats | undefined> => {
    const components = componentsBelowRoot(path);
    if (refuseLinksAbove(components).length > 0) return undefined;
    if (components.length === 0) return unlessMissing(stat(path));
    const stats = await unlessMissing(lstat(path));
    if (stats?.isSymbolicLink() === true) throw new UnsafePathError('SymbolicLink', path);
    return stats;
  };
  /** Opens the last component, which must be no link. */
  const openLast = async (path: string, flags: number, mode?: number) => {
    checkParent(path);
    try {
      return await openDescriptor(path, flags | O_NOFOLLOW, mode);
    } catch (error) {
      throw systemErrorCode(error) === 'ELOOP' ? new UnsafePathError('SymbolicLink', path, { cause: error }) : error;
    }
  };
  // Not blocking, in case a container made a pipe of it.
  const openToRead = (path: string) => unlessMissing(openLast(path, O_RDONLY | O_NONBLOCK));

  return {
    async makeDirectory(path, mode) {
      const components = componentsBelowRoot(path);
      const root = components.length === 0 ? path : dirname(components[0]!);
      if (statsOf(root) === undefined) await mkdir(root, { recursive: true, mode });
      const missing = refuseLinksAbove(components);
      if (missing.length > 0) for (const component of missing) await makeOneDirectory(component, mode);
      else {
        const stats = await checkAll(path);
        if (stats === undefined) await makeOneDirectory(path, mode);
        else if (!stats.isDirectory()) throw new UnsafePathError('NotADirectory', path);
      }
    },
    async closeToOthers(path) {
      const stats = await checkAll(path);
      if (stats === undefined) return false;
      if (!stats.isDirectory()) throw new UnsafePathError('NotADirectory', path);
      if (stats.uid !== process.geteuid?.()) throw new UnsafeFileError(path, `belongs to user ${String(stats.uid)}`);
      if ((stats.mode & ACCESS_OF_OTHERS) !== 0) {
        await using directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        await directory.chmod(0o700);
      }
      return true;
    },
    async writeFile(path, content, mode) {
      using file = await openLast(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode);
      await writeAll(file, content);
      if ((fstatSync(file.fd).mode & PERMISSIONS) !== mode) fchmodSync(file.fd, mode);
    },
    async replaceFile(path, content, mode) {
      await checkAll(path);
      await replaceOnDisk(path, content, mode);
    },
    async createFile(path, mode) {
      checkParent(path);
      using file = await openDescriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      fchmodSync(file.fd, mode);
    },
    async appendFile(path, content) {
      using file = await openLast(path, O_WRONLY | O_APPEND | O_NONBLOCK);
      await writeAll(file, content);
      await syncData(file.fd);
    },
    async readFile(path, maxBytes) {
      using file = await openToRead(path);
      return file && (await readRegularFile(file, path, maxBytes));
    },
    async readPrivate(path, maxBytes) {
      using file = await openToRead(path);
      if (file === undefined) return undefined;
      const stats = fstatSync(file.fd);
      if (!stats.isFile()) throw new UnsafeFileError(path, 'is not a regular file');
      if (stats.uid !== process.geteuid?.()) throw new UnsafeFileError(path, `belongs to user ${String(stats.uid)}`);
      if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new UnsafeFileError(path, 'is writable by other users');
      return Buffer.from(await readRegularFile(file, path, maxBytes)).toString('utf8');
    },
    async readTail(path, maxBytes) {
      using file = await openToRead(path);
      if (file === undefined) return undefined;
      const { size } = fstatSync(file.fd);
      const length = Math.min(size, maxBytes);
      const { buffer, bytesRead } = await readAt(file.fd, Buffer.alloc(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    },
    async list(path) {
      if ((await checkAll(path))?.isDirectory() !== true) return [];
      return (await unlessMissing(readdir(path))) ?? [];
    },
    async stat(path) {
      checkParent(path);
      const stats = await unlessMissing(lstat(path, { bigint: true }));
      return stats && fileInfoOf(stats);
    },
    async exists(path) {
      checkParent(path);
      try {
        return (await unlessMissing(stat(path))) !== undefined;
      } catch (error) {
        // Links in a circle lead to nothing.
        if (systemErrorCode(error) === 'ELOOP') return false;
        throw error;
      }
    },
    async symlink(target, path) {
      checkParent(path);
      try {
        await symlink(target, path);
      } catch (error) {
        if (systemErrorCode(error) !== 'EEXIST') throw error;
        await unlink(path);
        await symlink(target, path);
      }
    },
    async rename(from, to) {
      checkParent(from);
      checkParent(to);
      await rename(from, to);
    },
    async chmod(path, mode) {
      using file = await openLast(path, O_RDONLY | O_NONBLOCK);
      await changeMode(file.fd, mode);
    },
    async chown(path, uid, gid) {
      checkParent(path);
      await lchown(path, uid, gid);
    },
    async removeFile(path) {
      checkParent(path);
      await unlessMissing(unlink(path));
    },
    async removeTree(path) {
      checkParent(path);
      await using parent = await openHostDirectory(dirname(resolve(path)));
      await parent?.removeTree(basename(resolve(path)));
    },
    async removeEmptyDirectory(path) {
      checkParent(path);
      try {
        await unlessMissing(rmdir(path));
        return true;
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST', 'EBUSY'].includes(systemErrorCode(error) ?? '')) return false;
        throw error;
      }
    },
    async openDirectory(path) {
      const { root, names } = split(path);
      const last = names.at(-1);
      if (last === undefined) return openHostDirectory(root);
      await using above = openParents(root, names.slice(0, -1));
      // In the thread pool: what is mounted there may be the file system of a server.
      return await above?.openDirectory(last);
    },
  };
}

/** Opens directories of the agent's own, each from the one above. */
function openParents(root: string, names: readonly string[]): DirectoryHandle | undefined {
  let path = root;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(root, O_RDONLY | O_DIRECTORY);
    for (const name of names) {
      path = prefixOf(path) + name;
      const above = descriptor;
      descriptor = undefined;
      try {
        descriptor = openSync(`/proc/self/fd/${String(above)}/${name}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      } finally {
        closeSync(above);
      }
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    if (systemErrorCode(error) !== 'ENOTDIR' || path === root) throw error;
    // With O_DIRECTORY the kernel answers ENOTDIR for a link too.
    const isLink = statsOf(path)?.isSymbolicLink() === true;
    throw new UnsafePathError(isLink ? 'SymbolicLink' : 'NotADirectory', path, { cause: error });
  }
  return directoryHandleOf(descriptor, path);
}

/**
 * Replaces a file by way of `<path>.tmp`, which a killed process leaves behind and the next call replaces. No link is followed in the last place of either path.
 */
async function replaceOnDisk(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = `${path}.tmp`;
  await unlessMissing(unlink(temporary));
  try {
    {
      using file = await openDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      await writeAll(file, content);
      fchmodSync(file.fd, mode);
      await sync(file.fd);
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  // Only then is the renamed file found under its name after a loss of power.
  using directory = await openDescriptor(dirname(path), O_RDONLY | O_DIRECTORY);
  await sync(directory.fd);
}

/**
 * Returns the attributes of a directory of the agent's own. Synchronous, because the answer takes microseconds and a detour through the thread pool twenty times as
 * long. The last component of a path may be the mount of a server that never answers, so it is left to the thread pool.
 */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Beginning of all paths below a root, which may be `/`. */
function prefixOf(root: string): string {
  return root.endsWith(sep) ? root : root + sep;
}

/** Makes a directory, which another caller may have made since it was looked for. */
async function makeOneDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOTDIR') throw new UnsafePathError('NotADirectory', dirname(path), { cause: error });
    if (code !== 'EEXIST') throw error;
  }
  const stats = statsOf(path);
  if (stats?.isSymbolicLink() === true) throw new UnsafePathError('SymbolicLink', path);
  if (stats?.isDirectory() !== true) throw new UnsafePathError('NotADirectory', path);
  if ((stats.mode & PERMISSIONS) !== mode) await chmod(path, mode);
}
