import { FileError, type FileSystem } from './file-system.ts';

/**
 * The files of the host that containers see through their bind mounts. `open` gives those at or below `hostPath`, which is their root `/`; nothing
 * outside it can be reached, through symbolic links neither.
 */
export interface HostFiles {
  open(hostPath: string): FileSystem;
}

/** A host without any files: mounts are there, and empty. */
export const noHostFiles: HostFiles = {
  open: () => ({
    kind: (path) => (path === '/' ? 'directory' : undefined),
    read: refuse,
    write: refuse,
    list: (path) => (path === '/' ? [] : refuse()),
    makeDirectory: refuse,
    remove: refuse,
  }),
};

function refuse(): never {
  throw new FileError('ENOENT');
}
