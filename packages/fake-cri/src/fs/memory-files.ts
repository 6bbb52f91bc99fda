import { FileError, type FileSystem, parentOf } from './file-system.ts';

/** Limits of {@link createMemoryFiles}; beyond them writes fail with ENOSPC. */
export const MEMORY_FILES_LIMITS: { readonly characters: number; readonly entries: number } = {
  characters: 4 * 1024 * 1024,
  entries: 10_000,
};

/** Creates a file system in memory with the given files by path, and their directories. */
export function createMemoryFiles(files: Readonly<Record<string, string>>, directories: readonly string[]): FileSystem {
  /** Content of files; `undefined` for a directory. */
  const entries = new Map<string, string | undefined>([['/', undefined]]);
  let characters = 0;

  const makeDirectories = (path: string): void => {
    if (entries.has(path)) return;
    makeDirectories(parentOf(path));
    entries.set(path, undefined);
  };
  const put = (path: string, content: string): void => {
    characters += content.length - (entries.get(path)?.length ?? 0);
    entries.set(path, content);
  };
  for (const path of directories) makeDirectories(path);
  for (const [path, content] of Object.entries(files)) {
    makeDirectories(parentOf(path));
    put(path, content);
  }

  const kind: FileSystem['kind'] = (path) =>
    entries.has(path) ? (entries.get(path) === undefined ? 'directory' : 'file') : undefined;
  const checkCanBeMade = (path: string): void => {
    const parent = kind(parentOf(path));
    if (parent === undefined) throw new FileError('ENOENT');
    if (parent === 'file') throw new FileError('ENOTDIR');
    if (entries.size >= MEMORY_FILES_LIMITS.entries) throw new FileError('ENOSPC');
  };
  const namesIn = (path: string): string[] => {
    const prefix = path === '/' ? '/' : `${path}/`;
    const names: string[] = [];
    for (const entry of entries.keys()) {
      if (entry !== '/' && entry.startsWith(prefix) && !entry.includes('/', prefix.length))
        names.push(entry.slice(prefix.length));
    }
    return names.sort();
  };

  return {
    kind,
    read(path) {
      if (!entries.has(path)) throw new FileError('ENOENT');
      const content = entries.get(path);
      if (content === undefined) throw new FileError('EISDIR');
      return content;
    },
    write(path, content, append) {
      if (kind(path) === 'directory') throw new FileError('EISDIR');
      if (!entries.has(path)) checkCanBeMade(path);
      const before = entries.get(path) ?? '';
      const after = append ? before + content : content;
      if (characters + after.length - before.length > MEMORY_FILES_LIMITS.characters) throw new FileError('ENOSPC');
      put(path, after);
    },
    list(path) {
      if (kind(path) === undefined) throw new FileError('ENOENT');
      if (kind(path) === 'file') throw new FileError('ENOTDIR');
      return namesIn(path);
    },
    makeDirectory(path) {
      if (entries.has(path)) throw new FileError('EEXIST');
      checkCanBeMade(path);
      entries.set(path, undefined);
    },
    remove(path) {
      if (!entries.has(path)) throw new FileError('ENOENT');
      if (path === '/') throw new FileError('EBUSY');
      if (kind(path) === 'directory' && namesIn(path).length > 0) throw new FileError('ENOTEMPTY');
      characters -= entries.get(path)?.length ?? 0;
      entries.delete(path);
    },
  };
}
