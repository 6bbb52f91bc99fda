import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { confinedPath, OutsideSandboxError } from './confined-path.ts';
import { FileError, type FileSystem } from './file-system.ts';
import type { HostFiles } from './host-files.ts';
import { createNodeHostFiles } from './node-host-files.ts';

/** Files of this machine of which only those below one directory change. */
export interface ShadowHostFiles extends HostFiles {
  /** Creates a directory with its parents; outside of the directory in its shadow. */
  makeDirectory(path: string): Promise<void>;
  /** Creates an empty file unless it exists; outside of the directory in its shadow. */
  makeFile(path: string): Promise<void>;
}

/**
 * Creates access to the files of this machine for a runtime that changes nothing outside of `root`. Other files that exist are read-only. Those that do not exist are
 * created in a shadow of the machine's file system, `host` below `root`.
 */
export function createShadowHostFiles(root: string): ShadowHostFiles {
  const machine = createNodeHostFiles();
  const isOwn = (path: string): boolean => {
    try {
      confinedPath(root, path);
      return true;
    } catch (error) {
      if (error instanceof OutsideSandboxError) return false;
      throw error;
    }
  };
  const placeOf = (path: string): string => (isOwn(path) ? path : join(root, 'host', path));
  return {
    open(hostPath) {
      if (isOwn(hostPath)) return machine.open(hostPath);
      return existsSync(hostPath) ? readOnly(machine.open(hostPath)) : machine.open(placeOf(hostPath));
    },
    async makeDirectory(path) {
      mkdirSync(placeOf(path), { recursive: true, mode: 0o755 });
    },
    async makeFile(path) {
      const place = placeOf(path);
      mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
      writeFileSync(place, '', { flag: 'a', mode: 0o644 });
    },
  };
}

function readOnly(files: FileSystem): FileSystem {
  const reject = (): never => {
    throw new FileError('EROFS');
  };
  return { ...files, write: reject, makeDirectory: reject, remove: reject };
}
