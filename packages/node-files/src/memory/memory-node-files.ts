import type { DirectoryHandle } from '../directory-handle.ts';
import { UnsafeFileError, UnsafePathError } from '../errors.ts';
import type { NodeFiles } from '../node-files.ts';
import { memoryDirectoryHandle, type MemoryDirectoryPorts } from './memory-directory-handle.ts';
import {
  bytesOf,
  infoOf,
  type MemoryDirectory,
  type MemoryNode,
  type MemoryRegularFile,
  type MemoryTree,
  normalize,
  own,
  removeNode,
  systemError,
} from './memory-tree.ts';

/** Ports of {@link memoryNodeFiles}. */
export interface MemoryNodeFilesPorts extends MemoryDirectoryPorts {
  readonly roots: readonly string[];
}

const WRITABLE_BY_OTHERS = 0o022;
const ACCESS_OF_OTHERS = 0o077;
/** User that the agent runs as. */
const OWN_UID = 0;

/** Creates {@link NodeFiles} on a tree in memory. */
export function memoryNodeFiles(ports: MemoryNodeFilesPorts): NodeFiles {
  const { tree, changed, check } = ports;
  const roots = ports.roots.map(normalize);

  /** Splits a path into its root, which may be reached by links, and the names below. */
  const split = (path: string): { readonly root: string; readonly names: readonly string[] } => {
    const absolute = normalize(path);
    const root = roots.find((one) => one === '/' || absolute === one || absolute.startsWith(`${one}/`));
    if (root === undefined) throw new UnsafePathError('OutsideRoots', path);
    const below = absolute.slice(root === '/' ? 1 : root.length + 1);
    return { root, names: below === '' ? [] : below.split('/') };
  };
  const rootNode = (root: string): MemoryDirectory | undefined => {
    const node = tree.follow(root);
    return node?.kind === 'directory' ? node : undefined;
  };
  const find = (path: string, last: 'reject-link' | 'allow-link'): MemoryNode | undefined => {
    const { root, names } = split(path);
    const base = rootNode(root);
    return base && tree.below(base, names, path, last);
  };
  /** Finds the directory that holds an entry. @throws ENOENT when there is none */
  const parentOf = (path: string): { readonly directory: MemoryDirectory; readonly name: string } => {
    const { root, names } = split(path);
    const base = rootNode(root);
    const directory = base && tree.below(base, names.slice(0, -1), path, 'reject-link');
    const name = names.at(-1);
    if (directory?.kind !== 'directory' || name === undefined) throw systemError('ENOENT', path);
    return { directory, name };
  };
  const fileToRead = (path: string): MemoryRegularFile | undefined => {
    const node = find(path, 'reject-link');
    if (node === undefined) return undefined;
    if (node.kind !== 'file') throw new UnsafeFileError(path, 'is not a regular file');
    return node;
  };
  const set = (path: string, node: MemoryNode, isPlaced = false): void => {
    const { directory, name } = parentOf(path);
    directory.entries.set(name, node);
    tree.touch(node);
    changed(normalize(path), isPlaced);
  };
  const isCovered = (path: string): boolean => {
    const { directory, name } = parentOf(path);
    return directory.covered?.has(name) === true;
  };
  const removeEntry = (path: string): void => {
    let parent;
    try {
      parent = parentOf(path);
    } catch (error) {
      if (error instanceof UnsafePathError) throw error;
      return;
    }
    if (removeNode(parent.directory, parent.name, path)) changed(normalize(path));
  };

  return {
    async makeDirectory(path, mode) {
      await check('makeDirectory', path);
      const { root, names } = split(path);
      let node: MemoryDirectory = rootNode(root) ?? makeAll(tree, root, mode);
      for (const [index, name] of names.entries()) {
        let next = node.entries.get(name);
        if (next === undefined) node.entries.set(name, (next = tree.newDirectory(mode)));
        if (next.kind === 'symlink') throw new UnsafePathError('SymbolicLink', path);
        if (next.kind !== 'directory') {
          const component = [root === '/' ? '' : root, ...names.slice(0, index + 1)].join('/');
          throw new UnsafePathError('NotADirectory', component);
        }
        node = next;
      }
      changed(normalize(path));
    },
    async closeToOthers(path) {
      await check('closeToOthers', path);
      const node = find(path, 'reject-link');
      if (node === undefined) return false;
      if (node.kind !== 'directory') throw new UnsafePathError('NotADirectory', path);
      if (node.uid !== OWN_UID) throw new UnsafeFileError(path, `belongs to user ${String(node.uid)}`);
      if ((node.mode & ACCESS_OF_OTHERS) !== 0) {
        node.mode = 0o700;
        tree.touch(node);
        changed(normalize(path));
      }
      return true;
    },
    async writeFile(path, content, mode) {
      await check('writeFile', path);
      const old = find(path, 'reject-link');
      if (old !== undefined && old.kind !== 'file') throw systemError('EISDIR', path);
      const file = old ?? tree.newFile(mode);
      file.bytes = bytesOf(content);
      file.mode = mode;
      set(path, file);
    },
    async replaceFile(path, content, mode) {
      await check('replaceFile', path);
      find(path, 'reject-link');
      set(path, tree.newFile(mode, bytesOf(content)), true);
    },
    async createFile(path, mode) {
      await check('createFile', path);
      if (find(path, 'allow-link') !== undefined) throw systemError('EEXIST', path);
      set(path, tree.newFile(mode));
    },
    async appendFile(path, content) {
      await check('appendFile', path);
      const file = fileToRead(path);
      if (file === undefined) throw systemError('ENOENT', path);
      file.bytes = Buffer.concat([file.bytes, bytesOf(content)]);
      set(path, file);
    },
    async readFile(path, maxBytes) {
      await check('readFile', path);
      const file = fileToRead(path);
      if (file !== undefined) limit(file, path, maxBytes);
      return file?.bytes.slice();
    },
    async readPrivate(path, maxBytes) {
      await check('readPrivate', path);
      const file = fileToRead(path);
      if (file === undefined) return undefined;
      if (file.uid !== OWN_UID) throw new UnsafeFileError(path, `belongs to user ${String(file.uid)}`);
      if ((file.mode & WRITABLE_BY_OTHERS) !== 0) throw new UnsafeFileError(path, 'is writable by other users');
      limit(file, path, maxBytes);
      return new TextDecoder().decode(file.bytes);
    },
    async readTail(path, maxBytes) {
      await check('readTail', path);
      return fileToRead(path)?.bytes.slice(-maxBytes || Infinity);
    },
    async list(path) {
      await check('list', path);
      const node = find(path, 'reject-link');
      return node?.kind === 'directory' ? [...node.entries.keys()] : [];
    },
    async stat(path) {
      await check('stat', path);
      const node = find(path, 'allow-link');
      return node && infoOf(node);
    },
    async exists(path) {
      await check('exists', path);
      const node = find(path, 'allow-link');
      return node?.kind === 'symlink' ? tree.follow(normalize(path)) !== undefined : node !== undefined;
    },
    async symlink(target, path) {
      await check('symlink', path);
      if (find(path, 'allow-link')?.kind === 'directory') throw systemError('EISDIR', path);
      set(path, tree.newLink(target));
    },
    async rename(from, to) {
      await check('rename', from);
      const source = parentOf(from);
      const node = source.directory.entries.get(source.name);
      if (node === undefined) throw systemError('ENOENT', from);
      const target = find(to, 'allow-link');
      if (target?.kind === 'directory' && (node.kind !== 'directory' || target.entries.size > 0)) {
        throw systemError(node.kind === 'directory' ? 'ENOTEMPTY' : 'EISDIR', to);
      }
      parentOf(to);
      source.directory.entries.delete(source.name);
      changed(normalize(from));
      set(to, node, true);
    },
    async chmod(path, mode) {
      await check('chmod', path);
      const node = find(path, 'reject-link');
      if (node === undefined) throw systemError('ENOENT', path);
      node.mode = mode;
      tree.touch(node);
    },
    async chown(path, uid, gid) {
      await check('chown', path);
      const node = find(path, 'allow-link');
      if (node === undefined) throw systemError('ENOENT', path);
      own(node, uid, gid);
      tree.touch(node);
    },
    async removeFile(path) {
      await check('removeFile', path);
      if (find(path, 'allow-link')?.kind === 'directory') throw systemError('EISDIR', path);
      if (find(path, 'allow-link') !== undefined && isCovered(path)) throw systemError('EBUSY', path);
      removeEntry(path);
    },
    async removeTree(path) {
      await check('removeTree', path);
      removeEntry(path);
    },
    async removeEmptyDirectory(path) {
      await check('removeEmptyDirectory', path);
      const node = find(path, 'allow-link');
      if (node === undefined) return true;
      if (node.kind !== 'directory') throw systemError('ENOTDIR', path);
      if (node.entries.size > 0 || isCovered(path)) return false;
      removeEntry(path);
      return true;
    },
    async openDirectory(path) {
      await check('openDirectory', path);
      const { root, names } = split(path);
      const base = rootNode(root);
      let directory: DirectoryHandle | undefined = base && memoryDirectoryHandle(base, root, ports);
      for (const name of names) {
        if (directory === undefined) return undefined;
        await using above: DirectoryHandle = directory;
        directory = await above.openDirectory(name);
      }
      return directory;
    },
  };
}

function makeAll(tree: MemoryTree, path: string, mode: number): MemoryDirectory {
  let node = tree.root;
  for (const name of path.split('/').filter(Boolean)) {
    let next = node.entries.get(name);
    if (next === undefined) node.entries.set(name, (next = tree.newDirectory(mode)));
    if (next.kind !== 'directory') throw systemError('EEXIST', path);
    node = next;
  }
  return node;
}

function limit(file: MemoryRegularFile, path: string, maxBytes: number): void {
  if (file.bytes.length > maxBytes) throw new UnsafeFileError(path, `has more than ${String(maxBytes)} bytes`);
}
