import type { EntryHandle } from './entry-handle.ts';
import type { FileInfo } from './file-info.ts';
import type { OpenFile } from './open-file.ts';

/**
 * An open directory. Every call acts in that very directory, whatever happens to its path, and on names directly in it. A name with a slash, `.` and `..` are
 * rejected with {@link UnsafePathError}; links are never followed.
 */
export interface DirectoryHandle extends AsyncDisposable {
  /** Path under which the directory was opened, for messages. */
  readonly path: string;
  list(): Promise<readonly string[]>;
  /** Describes an entry, a link as a link; `undefined` when there is none. */
  stat(name: string): Promise<FileInfo | undefined>;
  /** Opens a directory in this one; `undefined` when there is none. @throws UnsafePathError for a link or another kind */
  openDirectory(name: string): Promise<DirectoryHandle | undefined>;
  /** Opens an entry of any kind as a place in the file system, `.` for the directory itself; `undefined` when there is none. @throws UnsafePathError for a link */
  openEntry(name: string): Promise<EntryHandle | undefined>;
  /** Reports whether something is mounted on an entry; `false` when there is none. */
  isMountPoint(name: string): Promise<boolean>;
  /** Opens a regular file to be read; `undefined` when there is none. @throws UnsafePathError for a link or another kind */
  openFile(name: string): Promise<OpenFile | undefined>;
  /** Creates a file with this mode whatever the umask. Rejects with EEXIST when something is there. */
  createFile(name: string, mode: number): Promise<WritableFile>;
  makeDirectory(name: string, mode: number): Promise<void>;
  symlink(target: string, name: string): Promise<void>;
  /** Returns the target of a link. */
  readLink(name: string): Promise<string>;
  /** Renames in one step, replacing what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** Renames unless `to` exists; a crash on the way leaves both names to the one file. Returns whether it renamed. */
  renameUnlessTaken(from: string, to: string): Promise<boolean>;
  /** Changes the mode of an entry of any other kind. @throws UnsafePathError for a link */
  chmod(name: string, mode: number): Promise<void>;
  /** Changes the owner of the entry itself; -1 leaves an id as it is. */
  chown(name: string, uid: number, gid: number): Promise<void>;
  /** Removes a file or link; succeeds when there is none. */
  remove(name: string): Promise<void>;
  /** Removes an empty directory; succeeds when there is none. */
  removeDirectory(name: string): Promise<void>;
  /**
   * Removes an entry with everything below it, links as such; succeeds when there is none. Nothing is removed through a mount point.
   *
   * @throws UnsafePathError for a mount point in the tree; what was removed before stays removed
   */
  removeTree(name: string): Promise<void>;
  /** Returns once renames and removals in this directory are on disk. */
  sync(): Promise<void>;
}

/** A file that is being written. */
export interface WritableFile extends AsyncDisposable {
  write(bytes: string | Uint8Array): Promise<void>;
  /** Returns once the content is on disk. */
  sync(): Promise<void>;
}
