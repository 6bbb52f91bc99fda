import { constants, existsSync, fstatSync, lstatSync, type Stats } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { replaceFile } from '@rxlet/component-base/files';
import type { FileSystem } from './file-system.ts';

/** Why the adapter would not touch a path. */
export type UnsafePathReason = 'OutsideRoots' | 'SymbolicLink';

/** A path that the agent, being root, must not work on. Nothing was done. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
  readonly reason: UnsafePathReason;
  readonly path: string;

  constructor(reason: UnsafePathReason, path: string) {
    super(
      reason === 'SymbolicLink' ? `${path} is a symbolic link` : `${path} is outside of the agent's own directories`,
    );
    this.reason = reason;
    this.path = path;
  }
}

/** Options of {@link createNodeFileSystem}. */
export interface NodeFileSystemOptions {
  /** The agent's own directories: its root directory, that of pod logs and that of log links. Nothing is written anywhere else. */
  readonly roots: readonly string[];
}

const NO_FOLLOW = constants.O_NOFOLLOW;
const PERMISSIONS = 0o7777;

/**
 * The {@link FileSystem} on the node's own files.
 *
 * The roots themselves may be links, an administrator's choice; below them no component of a path may be one. A check comes before each use, and files are
 * opened so that a link in the last place fails at the kernel. Whoever could put a link there in between would have to be able to write to the agent's
 * directories already, which no container is given.
 */
export function createNodeFileSystem({ roots }: NodeFileSystemOptions): FileSystem {
  const resolvedRoots = roots.map((root) => resolve(root));

  /** The directories from just below the root down to the path. */
  const componentsBelowRoot = (path: string): string[] => {
    const absolute = resolve(path);
    const root = resolvedRoots.find((candidate) => absolute === candidate || absolute.startsWith(candidate + sep));
    if (root === undefined) throw new UnsafePathError('OutsideRoots', path);
    const names = absolute
      .slice(root.length)
      .split(sep)
      .filter((name) => name !== '');
    return names.map((_, index) => [root, ...names.slice(0, index + 1)].join(sep));
  };
  /** @returns what of it is not there yet */
  const refuseLinks = (components: readonly string[]): readonly string[] => {
    for (const [index, component] of components.entries()) {
      const stats = statsOf(component);
      if (stats === undefined) return components.slice(index);
      if (stats.isSymbolicLink()) throw new UnsafePathError('SymbolicLink', component);
    }
    return [];
  };
  /** For what is done to the entry itself: only the way there must be free of links. */
  const checkParent = (path: string): void => void refuseLinks(componentsBelowRoot(path).slice(0, -1));
  const checkAll = (path: string): void => void refuseLinks(componentsBelowRoot(path));

  return {
    async makeDirectory(path, mode) {
      const components = componentsBelowRoot(path);
      const root = components.length === 0 ? path : dirname(components[0]!);
      if (statsOf(root) === undefined) await mkdir(root, { recursive: true, mode });
      const missing = refuseLinks(components);
      if (missing.length === 0) return;
      await mkdir(path, { recursive: true, mode });
      refuseLinks(missing);
      for (const component of missing) {
        if ((statsOf(component)!.mode & PERMISSIONS) !== mode) await chmod(component, mode);
      }
    },
    async writeFile(path, content, mode) {
      checkAll(path);
      const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW, mode);
      try {
        await file.writeFile(content);
        if ((fstatSync(file.fd).mode & PERMISSIONS) !== mode) await file.chmod(mode);
      } finally {
        await file.close();
      }
    },
    async replaceFile(path, content, mode) {
      checkAll(path);
      await replaceFile(path, content, mode);
    },
    async createFile(path, mode) {
      checkParent(path);
      const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, mode);
      try {
        await file.chmod(mode);
      } finally {
        await file.close();
      }
    },
    async readTail(path, maxBytes) {
      checkAll(path);
      // Not blocking, in case a container made a pipe of it.
      const file = await unlessMissing(open(path, constants.O_RDONLY | constants.O_NONBLOCK | NO_FOLLOW));
      if (file === undefined) return undefined;
      try {
        const { size } = await file.stat();
        const length = Math.min(size, maxBytes);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    readNodeFile: (path) => readFile(path, 'utf8'),
    async list(path) {
      if (refuseLinks(componentsBelowRoot(path)).length > 0) return [];
      return (await unlessMissing(readdir(path))) ?? [];
    },
    async exists(path) {
      checkParent(path);
      return existsSync(path);
    },
    async link(target, path) {
      checkParent(path);
      try {
        await symlink(target, path);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        await unlink(path);
        await symlink(target, path);
      }
    },
    async removeFile(path) {
      checkParent(path);
      await unlessMissing(unlink(path));
    },
    async removeTree(path) {
      checkParent(path);
      await rm(path, { recursive: true, force: true });
    },
    async removeEmptyDirectory(path) {
      checkParent(path);
      try {
        await unlessMissing(rmdir(path));
        return true;
      } catch (error) {
        if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST' || codeOf(error) === 'EBUSY') return false;
        throw error;
      }
    },
  };
}

/**
 * What is at a path itself, if anything. Asked at once: this concerns the agent's own directories, where the answer takes microseconds and a detour over the
 * thread pool twenty times as long. What changes something on the disk may have to wait for it, and is left to the thread pool.
 */
function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
