import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { confinedPath, OutsideSandboxError, type SandboxRoots } from './confined-path.ts';
import { FileError, type FileErrorCode, type FileSystem } from './file-system.ts';
import type { HostFiles, MountedHostFiles } from './host-files.ts';

/** Maximum size of a file, in bytes: reads are cut off, larger writes fail. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum read of a file without a size. */
const KERNEL_FILE_BYTES = 64 * 1024;
/** Maximum number of listed names of a directory. */
const MAX_NAMES = 10_000;
const KNOWN_CODES: ReadonlySet<string> = new Set<FileErrorCode>([
  'EEXIST',
  'EINVAL',
  'EISDIR',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'ENOTEMPTY',
  'EROFS',
]);

/**
 * Creates access to the files of this machine. It is synchronous, as the logs are, so that on the virtual clock a file has its content at the time of the
 * write. Devices, sockets and pipes are not opened. Paths outside of `roots` do not exist. Default: `/`.
 */
export function createNodeHostFiles(roots: string | readonly string[] = '/'): HostFiles {
  return { open: (hostPath) => openHostPath(hostPath, roots) };
}

function openHostPath(hostPath: string, sandboxRoots: SandboxRoots): MountedHostFiles {
  /** Returns the real path of an existing file. Throws ENOENT also for one outside of the mount, reached by symbolic links. */
  const existing = (path: string): string => {
    const root = confinedHostPath(sandboxRoots, hostPath);
    const real = realpathSync(path === '/' ? root : join(root, path));
    if (real !== root && !real.startsWith(root === '/' ? '/' : `${root}/`)) throw new FileError('ENOENT');
    return real;
  };
  /** Returns the real path of a file that may not exist. */
  const possible = (path: string): string => {
    try {
      return existing(path);
    } catch (error) {
      if (path === '/' || fileError(error).code !== 'ENOENT') throw error;
      return join(existing(dirname(path)), basename(path));
    }
  };

  const files = attemptAll({
    kind(path) {
      try {
        return kindOf(statSync(existing(path)));
      } catch {
        return undefined;
      }
    },
    read: (path) => withFile(existing(path), constants.O_RDONLY, (file) => readText(file)),
    write(path, content, append) {
      // O_NOFOLLOW: a link that appears in place of a missing file may lead out of the mount.
      const truncate = append ? constants.O_APPEND : constants.O_TRUNC;
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | truncate;
      withFile(possible(path), flags, (file, { size }) => {
        const bytes = new TextEncoder().encode(content);
        if ((append ? size : 0) + bytes.length > MAX_FILE_BYTES) throw new FileError('ENOSPC');
        writeSync(file, bytes);
      });
    },
    list: (path) => readdirSync(existing(path)).sort().slice(0, MAX_NAMES),
    makeDirectory: (path) => void mkdirSync(possible(path)),
    remove(path) {
      if (path === '/') throw new FileError('EBUSY');
      const real = join(existing(dirname(path)), basename(path));
      if (statSync(real, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(real);
      else unlinkSync(real);
    },
  });
  return {
    ...files,
    isOnSubmount(path) {
      try {
        return statSync(possible(dirname(path))).dev !== statSync(existing('/')).dev;
      } catch {
        return false;
      }
    },
  };
}

/** Returns the real path of an existing mount. Throws ENOENT for one outside of the sandbox roots. */
function confinedHostPath(roots: SandboxRoots, hostPath: string): string {
  try {
    return realpathSync(confinedPath(roots, hostPath));
  } catch (error) {
    throw error instanceof OutsideSandboxError ? new FileError('ENOENT') : error;
  }
}

function withFile<T>(path: string, flags: number, use: (file: number, stats: Stats) => T): T {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && kindOf(stats) === undefined) throw new FileError('EACCES');
  const file = openSync(path, flags | constants.O_NONBLOCK, 0o644);
  try {
    return use(file, fstatSync(file));
  } finally {
    closeSync(file);
  }
}

function readText(file: number): string {
  // The kernel's own files have the size 0 and content all the same.
  const buffer = Buffer.alloc(Math.min(fstatSync(file).size || KERNEL_FILE_BYTES, MAX_FILE_BYTES));
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    read = readSync(file, buffer, length, buffer.length - length, null);
  }
  return buffer.toString('utf8', 0, length);
}

function kindOf(stats: Stats): 'file' | 'directory' | undefined {
  return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : undefined;
}

/** Converts all errors of the methods to FileErrors. */
function attemptAll(files: FileSystem): FileSystem {
  const attempt =
    <A extends readonly unknown[], T>(method: (...args: A) => T) =>
    (...args: A): T => {
      try {
        return method(...args);
      } catch (error) {
        throw fileError(error);
      }
    };
  return {
    kind: attempt(files.kind),
    read: attempt(files.read),
    write: attempt(files.write),
    list: attempt(files.list),
    makeDirectory: attempt(files.makeDirectory),
    remove: attempt(files.remove),
  };
}

function fileError(error: unknown): FileError {
  if (error instanceof FileError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return new FileError(KNOWN_CODES.has(code) ? (code as FileErrorCode) : 'EACCES');
}
