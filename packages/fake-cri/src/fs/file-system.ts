/** Why an operation on files failed, as errno names it. */
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

/** An operation on files failed; the message is what programs print. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(MESSAGES[code]);
    this.code = code;
  }
}

export type FileKind = 'file' | 'directory';

/** Files as programs see them. Paths are absolute and free of `.` and `..` ({@link resolvePath}); content is text in UTF-8. All methods throw {@link FileError}. */
export interface FileSystem {
  /** What is at `path`; `undefined` for nothing. */
  kind(path: string): FileKind | undefined;
  read(path: string): string;
  /** Makes or changes a file; its directory has to be there. */
  write(path: string, content: string, append: boolean): void;
  /** Names in a directory, sorted. */
  list(path: string): readonly string[];
  /** Makes one directory; its parent has to be there. */
  makeDirectory(path: string): void;
  /** Removes a file or an empty directory. */
  remove(path: string): void;
}

/** `path` as an absolute one without `.`, `..` and doubled slashes. A `..` leads no further than to `/`. */
export function resolvePath(workingDirectory: string, path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : `${workingDirectory}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** The directory of an absolute path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
