import type { DirectoryHandle } from '../directory-handle.ts';
import type { EntryHandle } from '../entry-handle.ts';
import { UnsafeFileError, UnsafePathError } from '../errors.ts';
import { openMemoryFile } from './memory-host-files.ts';
import {
  bytesOf,
  infoOf,
  type MemoryDirectory,
  type MemoryNode,
  type MemoryTree,
  own,
  removeNode,
  systemError,
} from './memory-tree.ts';

/** Ports of {@link memoryDirectoryHandle}. */
export interface MemoryDirectoryPorts {
  readonly tree: MemoryTree;
  /** Called after each change of an entry, and whether it was moved into place. */
  changed(path: string, isPlaced?: boolean): void;
  /** Called before each operation; may throw or delay it. */
  check(operation: string, path: string): void | Promise<void>;
}

/** Opens a directory of a tree in memory. */
export function memoryDirectoryHandle(
  directory: MemoryDirectory,
  path: string,
  ports: MemoryDirectoryPorts,
): DirectoryHandle {
  const { tree, check } = ports;
  const { entries } = directory;
  const pathOf = (name: string): string => (path === '/' ? `/${name}` : `${path}/${name}`);
  const begin = async (operation: string, name: string): Promise<void> => {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
      throw new UnsafePathError('NotAName', pathOf(name));
    }
    await check(operation, pathOf(name));
  };
  const existing = (name: string): MemoryNode => {
    const node = entries.get(name);
    if (node === undefined) throw systemError('ENOENT', pathOf(name));
    return node;
  };
  const notTaken = (name: string): void => {
    if (entries.has(name)) throw systemError('EEXIST', pathOf(name));
  };
  const put = (name: string, node: MemoryNode, isPlaced = false): void => {
    entries.set(name, node);
    tree.touch(node);
    ports.changed(pathOf(name), isPlaced);
  };
  const drop = (name: string): void => {
    if (entries.delete(name)) ports.changed(pathOf(name));
  };

  const entryOf = (node: MemoryNode, name: string): Omit<EntryHandle, keyof AsyncDisposable> => {
    const entryPath = name === '.' ? path : pathOf(name);
    return {
      path: entryPath,
      descriptor: -1,
      stat: async () => infoOf(node),
      async chmod(mode) {
        await check('chmod', entryPath);
        node.mode = mode;
        tree.touch(node);
      },
      async chown(uid, gid) {
        await check('chown', entryPath);
        own(node, uid, gid);
        tree.touch(node);
      },
    };
  };

  return tree.opened({
    path,
    async list() {
      await check('list', path);
      return [...entries.keys()];
    },
    async stat(name) {
      await begin('stat', name);
      const node = entries.get(name);
      return node && infoOf(node);
    },
    async openDirectory(name) {
      await begin('openDirectory', name);
      const node = entries.get(name);
      if (node === undefined) return undefined;
      if (node.kind === 'symlink') throw new UnsafePathError('SymbolicLink', pathOf(name));
      if (node.kind !== 'directory') throw new UnsafePathError('NotADirectory', pathOf(name));
      return memoryDirectoryHandle(node, pathOf(name), ports);
    },
    async openEntry(name) {
      if (name === '.') return tree.opened(entryOf(directory, '.'));
      await begin('openEntry', name);
      const node = entries.get(name);
      if (node === undefined) return undefined;
      if (node.kind === 'symlink') throw new UnsafePathError('SymbolicLink', pathOf(name));
      return tree.opened(entryOf(node, name));
    },
    async isMountPoint(name) {
      await begin('isMountPoint', name);
      return directory.covered?.has(name) === true;
    },
    async openFile(name) {
      await begin('openFile', name);
      const node = entries.get(name);
      if (node === undefined) return undefined;
      if (node.kind === 'symlink') throw new UnsafePathError('SymbolicLink', pathOf(name));
      if (node.kind !== 'file') throw new UnsafeFileError(pathOf(name), 'is not a regular file');
      return openMemoryFile(tree, node);
    },
    async createFile(name, mode) {
      await begin('createFile', name);
      notTaken(name);
      const file = tree.newFile(mode);
      put(name, file);
      return tree.opened({
        async write(bytes: string | Uint8Array) {
          await check('write', pathOf(name));
          file.bytes = Buffer.concat([file.bytes, bytesOf(bytes)]);
          tree.touch(file);
        },
        sync: async () => check('sync', pathOf(name)),
      });
    },
    async makeDirectory(name, mode) {
      await begin('makeDirectory', name);
      notTaken(name);
      put(name, tree.newDirectory(mode));
    },
    async symlink(target, name) {
      await begin('symlink', name);
      notTaken(name);
      put(name, tree.newLink(target));
    },
    async readLink(name) {
      await begin('readLink', name);
      const node = existing(name);
      if (node.kind !== 'symlink') throw systemError('EINVAL', pathOf(name));
      return node.target;
    },
    async rename(from, to) {
      await begin('rename', from);
      await begin('rename', to);
      const node = existing(from);
      drop(from);
      put(to, node, true);
    },
    async renameUnlessTaken(from, to) {
      await begin('renameUnlessTaken', from);
      const node = existing(from);
      if (entries.has(to)) return false;
      drop(from);
      put(to, node, true);
      return true;
    },
    async chmod(name, mode) {
      await begin('chmod', name);
      const node = existing(name);
      if (node.kind === 'symlink') throw new UnsafePathError('SymbolicLink', pathOf(name));
      node.mode = mode;
      tree.touch(node);
    },
    async chown(name, uid, gid) {
      await begin('chown', name);
      own(existing(name), uid, gid);
    },
    async remove(name) {
      await begin('remove', name);
      const node = entries.get(name);
      if (node?.kind === 'directory') throw systemError('EISDIR', pathOf(name));
      if (directory.covered?.has(name) === true) throw systemError('EBUSY', pathOf(name));
      if (node !== undefined) node.links = 0;
      drop(name);
    },
    async removeDirectory(name) {
      await begin('removeDirectory', name);
      const node = entries.get(name);
      if (node === undefined) return;
      if (node.kind !== 'directory') throw systemError('ENOTDIR', pathOf(name));
      if (directory.covered?.has(name) === true) throw systemError('EBUSY', pathOf(name));
      if (node.entries.size > 0) throw systemError('ENOTEMPTY', pathOf(name));
      drop(name);
    },
    async removeTree(name) {
      await begin('removeTree', name);
      if (removeNode(directory, name, pathOf(name))) ports.changed(pathOf(name));
    },
    sync: async () => check('sync', path),
  } satisfies Omit<DirectoryHandle, typeof Symbol.asyncDispose>);
}
