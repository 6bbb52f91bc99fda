import type { FileSystem } from '../files/file-system.ts';

/** A {@link FileSystem} that can be looked into. */
export interface MemoryFileSystem extends FileSystem {
  /** Path → content. */
  readonly files: ReadonlyMap<string, string>;
  /** Path → mode, of files and directories. */
  readonly modes: ReadonlyMap<string, number>;
  /** Path → target. */
  readonly links: ReadonlyMap<string, string>;
  /** Puts a file there with the directories above it, as a runtime or an administrator would. */
  put(path: string, content: string): void;
}

/** Creates a {@link MemoryFileSystem}, empty but for what is given (path → content). */
export function createMemoryFileSystem(initial: Readonly<Record<string, string>> = {}): MemoryFileSystem {
  const files = new Map<string, string>();
  const modes = new Map<string, number>();
  const links = new Map<string, string>();
  const directories = new Set<string>();

  const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const addDirectory = (path: string, mode: number): void => {
    for (let current = path; current !== '' && !directories.has(current); current = parentOf(current)) {
      directories.add(current);
      modes.set(current, mode);
    }
  };
  const requireParent = (path: string): void => {
    if (!directories.has(parentOf(path))) throw new Error(`ENOENT: no such directory, '${parentOf(path)}'`);
  };
  const below = (path: string): string[] =>
    [...files.keys(), ...links.keys(), ...directories].filter((entry) => entry.startsWith(`${path}/`));
  const remove = (path: string): void => {
    files.delete(path);
    links.delete(path);
    directories.delete(path);
    modes.delete(path);
  };
  const put = (path: string, content: string): void => {
    addDirectory(parentOf(path), 0o755);
    files.set(path, content);
  };
  for (const [path, content] of Object.entries(initial)) put(path, content);

  return {
    files,
    modes,
    links,
    put,
    async makeDirectory(path, mode) {
      addDirectory(path, mode);
    },
    async writeFile(path, content, mode) {
      requireParent(path);
      files.set(path, content);
      modes.set(path, mode);
    },
    async replaceFile(path, content, mode) {
      requireParent(path);
      files.set(path, content);
      modes.set(path, mode);
    },
    async createFile(path, mode) {
      requireParent(path);
      if (files.has(path)) throw new Error(`EEXIST: file already exists, '${path}'`);
      files.set(path, '');
      modes.set(path, mode);
    },
    async readTail(path, maxBytes) {
      const content = files.get(path);
      return content === undefined ? undefined : Buffer.from(content).subarray(-maxBytes);
    },
    async readNodeFile(path) {
      const content = files.get(path);
      if (content === undefined) throw new Error(`ENOENT: no such file, '${path}'`);
      return content;
    },
    async list(path) {
      return [...new Set(below(path).map((entry) => entry.slice(path.length + 1).split('/', 1)[0]!))];
    },
    async exists(path) {
      const target = links.get(path) ?? path;
      return files.has(target) || directories.has(target);
    },
    async link(target, path) {
      requireParent(path);
      links.set(path, target);
    },
    async removeFile(path) {
      files.delete(path);
      links.delete(path);
      modes.delete(path);
    },
    async removeTree(path) {
      for (const entry of [path, ...below(path)]) remove(entry);
    },
    async removeEmptyDirectory(path) {
      if (below(path).length > 0) return false;
      remove(path);
      return true;
    },
  };
}
