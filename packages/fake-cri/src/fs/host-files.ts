import { type FileSystem, parentOf, resolvePath } from './file-system.ts';
import { createMemoryFiles } from './memory-files.ts';

/**
 * The host's files behind the bind mounts of containers. `open` returns the files at or below `hostPath`, which is their root `/`; files outside it cannot be
 * reached, also not through symbolic links.
 */
export interface HostFiles {
  open(hostPath: string): MountedHostFiles;
}

/** Files at or below a path of the host. */
export interface MountedHostFiles extends FileSystem {
  /** Reports whether a path, which may not exist, is in another file system, mounted on the host below these files. Default: no. */
  isOnSubmount?(path: string): boolean;
}

/**
 * Creates host files on any file system, by default an empty one in memory. A mounted directory that does not exist is created with the first write below it.
 */
export function createHostFiles(files: FileSystem = createMemoryFiles({}, [])): HostFiles {
  const makeDirectories = (path: string): void => {
    if (files.kind(path) !== undefined) return;
    makeDirectories(parentOf(path));
    files.makeDirectory(path);
  };
  return {
    open(hostPath) {
      const root = resolvePath('/', hostPath);
      const at = (path: string): string => resolvePath(root, `.${path}`);
      const inRoot = (path: string): string => {
        if (path !== '/' && files.kind(root) === undefined) makeDirectories(root);
        return at(path);
      };
      return {
        kind: (path) => files.kind(at(path)) ?? (path === '/' ? 'directory' : undefined),
        read: (path) => files.read(at(path)),
        write: (path, content, append) => files.write(inRoot(path), content, append),
        list: (path) => (path === '/' && files.kind(root) === undefined ? [] : files.list(at(path))),
        makeDirectory: (path) => files.makeDirectory(inRoot(path)),
        remove: (path) => files.remove(at(path)),
      };
    },
  };
}
