import { basename, dirname, join } from 'node:path/posix';
import type { DirectoryHandle } from '../directory-handle.ts';
import { UnsafeFileError } from '../errors.ts';
import type { FileInfo } from '../file-info.ts';
import type { HostEntry, HostFiles } from '../host-files.ts';
import type { OpenFile } from '../open-file.ts';
import {
  infoOf,
  type MemoryDirectory,
  type MemoryRegularFile,
  type MemoryTree,
  normalize,
  systemError,
} from './memory-tree.ts';

/** An open watch. */
export interface MemoryWatch {
  /** Reports a change of the entry at a normalized path, and whether it was moved into place. */
  changed(path: string, isPlaced: boolean): void;
  /** Ends the watch as a failing system would. */
  end(error: Error): void;
}

/** Parts that the files of the host share with the rest of the memory. */
export interface MemoryHostFilesPorts {
  readonly tree: MemoryTree;
  /** The open watches. */
  readonly watches: Set<MemoryWatch>;
  /** Opens a directory. */
  openDirectory(directory: MemoryDirectory, path: string): DirectoryHandle;
  /** Called before each operation; may throw or delay it. */
  check(operation: string, path: string): void | Promise<void>;
}

/** Creates {@link HostFiles} on a tree in memory. */
export function memoryHostFiles({ tree, watches, openDirectory, check }: MemoryHostFilesPorts): HostFiles {
  const fileAt = (path: string): MemoryRegularFile | undefined => {
    const node = tree.follow(path);
    if (node === undefined) return undefined;
    if (node.kind !== 'file') throw new UnsafeFileError(path, 'is not a regular file');
    return node;
  };
  const infoAt = (path: string): FileInfo | undefined => {
    const node = tree.follow(path);
    return node && infoOf(node);
  };
  return {
    async read(path, maxBytes) {
      await check('read', path);
      const file = fileAt(path);
      if (file === undefined) return undefined;
      if (file.bytes.length > maxBytes) throw new UnsafeFileError(path, `has more than ${String(maxBytes)} bytes`);
      return { bytes: file.bytes.slice(), mode: file.mode };
    },
    async open(path) {
      await check('open', path);
      const file = fileAt(path);
      return file && openMemoryFile(tree, file);
    },
    async openDirectory(path) {
      await check('openDirectory', path);
      const node = tree.follow(path);
      return node?.kind === 'directory' ? openDirectory(node, normalize(path)) : undefined;
    },
    async stat(path) {
      await check('stat', path);
      const node = tree.follow(path);
      return node && infoOf(node);
    },
    async list(path) {
      await check('list', path);
      const node = tree.follow(path);
      if (node === undefined) throw systemError('ENOENT', path);
      if (node.kind !== 'directory') {
        const name = normalize(path).split('/').at(-1)!;
        return { kind: 'file', identity: String(node.inode), entries: [{ name, path, info: infoOf(node) }] };
      }
      const entries = [...node.entries.keys()].map(async (name): Promise<HostEntry> => {
        const entryPath = join(normalize(path), name);
        try {
          await check('stat', entryPath);
          return { name, path: entryPath, info: infoAt(entryPath) };
        } catch (error) {
          return { name, path: entryPath, info: undefined, error: error as Error };
        }
      });
      return { kind: 'directory', identity: String(node.inode), entries: await Promise.all(entries) };
    },
    watch(path, observer) {
      void check('watch', path);
      const node = tree.follow(path);
      if (node === undefined) throw systemError('ENOENT', path);
      const above = tree.follow(dirname(normalize(path)));
      const ownName = basename(normalize(path));
      const watch: MemoryWatch = {
        changed(changedPath, isPlaced) {
          const name = basename(changedPath);
          const parent = tree.follow(dirname(changedPath));
          if (parent !== node && !(parent === above && name === ownName) && tree.follow(changedPath) !== node) return;
          observer.onChange({ name });
          if (tree.follow(changedPath) === undefined) observer.onRemoved?.(changedPath);
          const info = isPlaced ? infoAt(changedPath) : undefined;
          if (info?.kind === 'file' && info.sizeBytes > 0) observer.onPlaced?.({ name, path: changedPath, info });
        },
        end(error) {
          watches.delete(watch);
          observer.onEnd?.(error);
        },
      };
      watches.add(watch);
      return { [Symbol.dispose]: () => void watches.delete(watch) };
    },
  };
}

/** Opens a file of a tree in memory. */
export function openMemoryFile(tree: MemoryTree, file: MemoryRegularFile): OpenFile {
  return tree.opened({
    identity: String(file.inode),
    read: async (offset: number, length: number) => file.bytes.slice(offset, offset + length),
    stat: async () => infoOf(file),
  });
}
