import { FileError, type FileSystem, parentOf } from './file-system.ts';

/** A shared tree of files in memory, such as that of `createMemoryFiles` of @rxlet/node-files/testing. Paths are absolute. */
export interface FileTree {
  /** Writes a file with its parents. */
  put(path: string, content: string): void;
  putDirectory(path: string): void;
  remove(path: string): void;
  /** Returns the text of a file, links followed; `undefined` when there is none. */
  text(path: string): string | undefined;
  /** Describes the entry at a path. */
  info(path: string): { readonly kind: string } | undefined;
  /** Paths of the entries but directories; a link as `path -> target`. */
  paths(): readonly string[];
}

/** Returns a tree of files as a {@link FileSystem}, so that containers and the node agent see the same files without touching those of the machine. */
export function filesOfTree(tree: FileTree): FileSystem {
  const kind: FileSystem['kind'] = (path) =>
    path === '/' || tree.info(path)?.kind === 'directory'
      ? 'directory'
      : tree.text(path) === undefined
        ? undefined
        : 'file';
  const namesIn = (path: string): string[] => {
    const prefix = path === '/' ? '/' : `${path}/`;
    const below = tree.paths().filter((entry) => entry.startsWith(prefix));
    return [...new Set(below.map((entry) => entry.slice(prefix.length).split(/\/| -> /)[0]!))].sort();
  };
  const checkParent = (path: string): void => {
    const parent = kind(parentOf(path));
    if (parent !== 'directory') throw new FileError(parent === 'file' ? 'ENOTDIR' : 'ENOENT');
  };
  return {
    kind,
    read(path) {
      if (kind(path) === 'directory') throw new FileError('EISDIR');
      return tree.text(path) ?? fail('ENOENT');
    },
    write(path, content, append) {
      if (kind(path) === 'directory') throw new FileError('EISDIR');
      checkParent(path);
      tree.put(path, append ? `${tree.text(path) ?? ''}${content}` : content);
    },
    list(path) {
      const found = kind(path);
      if (found !== 'directory') throw new FileError(found === 'file' ? 'ENOTDIR' : 'ENOENT');
      return namesIn(path);
    },
    makeDirectory(path) {
      if (kind(path) !== undefined) throw new FileError('EEXIST');
      checkParent(path);
      tree.putDirectory(path);
    },
    remove(path) {
      if (kind(path) === undefined) throw new FileError('ENOENT');
      if (path === '/') throw new FileError('EBUSY');
      if (kind(path) === 'directory' && namesIn(path).length > 0) throw new FileError('ENOTEMPTY');
      tree.remove(path);
    },
  };
}

function fail(code: 'ENOENT'): never {
  throw new FileError(code);
}
