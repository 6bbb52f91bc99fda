import type { FileSystem } from './file-system.ts';

/** A file system that is made when it is first used: most containers never look at their files. */
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
