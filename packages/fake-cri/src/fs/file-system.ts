/** Cause of a failed operation on files, as named by errno. */
export type FileErrorCode =
  'EEXIST' | 'EINVAL' | 'EISDIR' | 'ENOENT' | 'ENOSPC' | 'ENOTDIR' | 'ENOTEMPTY' | 'EROFS' | 'EACCES' | 'EBUSY';

const MESSAGES: Readonly<Record<FileErrorCode, string>> = {
  EACCES: 'Permission denied',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EINVAL: 'Invalid argument',
  EISDIR: 'Is a directory',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
  ENOTEMPTY: 'Directory not empty',
  EROFS: 'Read-only file system',
};

/** An operation on files failed; programs print the message. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(MESSAGES[code]);
    this.code = code;
  }
}

export type FileKind = 'file' | 'directory';

/** Files of programs. Paths are absolute and free of `.` and `..`; content is text in UTF-8. All methods throw {@link FileError}. */
export interface FileSystem {
  /** Returns the kind of the entry at `path`; `undefined` when there is none. */
  kind(path: string): FileKind | undefined;
  read(path: string): string;
  /** Creates or changes a file in an existing directory. */
  write(path: string, content: string, append: boolean): void;
  /** Names in a directory, sorted. */
  list(path: string): readonly string[];
  /** Creates one directory in an existing one. */
  makeDirectory(path: string): void;
  /** Removes a file or an empty directory. */
  remove(path: string): void;
}

/** Returns an absolute path without `.`, `..` and doubled slashes. A `..` at `/` stays there. */
export function resolvePath(workingDirectory: string, path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : `${workingDirectory}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Returns the directory of an absolute path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
