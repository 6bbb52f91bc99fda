import type { FileSystem } from './file-system.ts';

/** Creates a file system at its first use, because most containers never use their files. */
export function lazyFiles(make: () => FileSystem): FileSystem {
  return {
    kind: (path) => make().kind(path),
    read: (path) => make().read(path),
    write: (path, content, append) => make().write(path, content, append),
    list: (path) => make().list(path),
    makeDirectory: (path) => make().makeDirectory(path),
    remove: (path) => make().remove(path),
  };
}
