import type { FileSystem } from './file-system.ts';

/**
 * Returns the files of a container as one of its processes sees them: `/proc/self` is the process's own directory. They are created at their first use, because most
 * containers never use their files.
 */
export function processFiles(make: () => FileSystem, pid: () => number): FileSystem {
  const at = (path: string): string => path.replace(/^\/proc\/self(?=\/|$)/, () => `/proc/${String(pid())}`);
  return {
    kind: (path) => make().kind(at(path)),
    read: (path) => make().read(at(path)),
    write: (path, content, append) => make().write(at(path), content, append),
    list: (path) => make().list(at(path)),
    makeDirectory: (path) => make().makeDirectory(at(path)),
    remove: (path) => make().remove(at(path)),
  };
}
