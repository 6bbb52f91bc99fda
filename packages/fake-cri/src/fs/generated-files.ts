import { FileError, type FileSystem } from './file-system.ts';

/** Creates a read-only file system whose files are generated when they are read. `generate` returns them by path. */
export function createGeneratedFiles(generate: () => ReadonlyMap<string, () => string>): FileSystem {
  const namesIn = (files: ReadonlyMap<string, unknown>, path: string): string[] => {
    const prefix = path === '/' ? '/' : `${path}/`;
    const below = [...files.keys()].filter((file) => file.startsWith(prefix));
    return [...new Set(below.map((file) => file.slice(prefix.length).split('/')[0]!))].sort();
  };
  const kindIn = (files: ReadonlyMap<string, unknown>, path: string): 'file' | 'directory' | undefined => {
    if (files.has(path)) return 'file';
    return path === '/' || namesIn(files, path).length > 0 ? 'directory' : undefined;
  };
  const readOnly = (): never => {
    throw new FileError('EROFS');
  };
  return {
    kind: (path) => kindIn(generate(), path),
    read(path) {
      const files = generate();
      const text = files.get(path);
      if (text === undefined) throw new FileError(kindIn(files, path) === 'directory' ? 'EISDIR' : 'ENOENT');
      return text();
    },
    list(path) {
      const files = generate();
      if (kindIn(files, path) !== 'directory') throw new FileError(files.has(path) ? 'ENOTDIR' : 'ENOENT');
      return namesIn(files, path);
    },
    write: readOnly,
    makeDirectory: readOnly,
    remove: readOnly,
  };
}
