import type { DirectoryHandle } from './directory-handle.ts';
import type { FileInfo } from './file-info.ts';

/**
 * Files and directories of the agent's own, below its roots. Paths are absolute.
 *
 * An agent runs as root in directories that containers can partly write to. An implementation must therefore never follow a symbolic link below a root: a link on
 * the way fails with {@link UnsafePathError}. Where containers can write at the same moment, use {@link NodeFiles.openDirectory}, which no race can lead out.
 */
export interface NodeFiles {
  /** Creates a directory and its missing parents, with this mode whatever the umask. Leaves an existing directory as it is. @throws UnsafePathError for another kind */
  makeDirectory(path: string, mode: number): Promise<void>;
  /**
   * Closes a directory to other users (mode 0700). Returns whether there is one.
   *
   * @throws UnsafePathError for another kind; UnsafeFileError for a directory of another user
   */
  closeToOthers(path: string): Promise<boolean>;
  /**
   * Writes a file in place; a new file gets this mode whatever the umask. Running containers see the new content through their bind mounts, which they would not
   * if the file were replaced.
   */
  writeFile(path: string, content: string | Uint8Array, mode: number): Promise<void>;
  /**
   * Replaces a file by a new one of this mode. After a crash, a loss of power included, the file has either the old or the new content; once the promise resolves,
   * the new. Calls for one path must not overlap.
   */
  replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void>;
  /** Creates an empty file with this mode whatever the umask. Rejects with EEXIST when something is there. */
  createFile(path: string, mode: number): Promise<void>;
  /** Appends to a file that exists and returns once the bytes are on disk. */
  appendFile(path: string, content: string | Uint8Array): Promise<void>;
  /** Returns the content of a regular file; `undefined` when there is none. Rejects for other kinds and for more than `maxBytes`. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Returns the text of a file that only the agent's user can have written; `undefined` when there is none.
   *
   * @throws UnsafeFileError for another kind, another owner, a mode that lets others write, or more than `maxBytes`
   */
  readPrivate(path: string, maxBytes: number): Promise<string | undefined>;
  /** Returns the last `maxBytes` of a file; `undefined` when there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Returns the names in a directory; none when there is no directory. */
  list(path: string): Promise<readonly string[]>;
  /** Describes the entry itself, a link as a link; `undefined` when there is none. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Reports whether a path leads to something, a link in the last place followed. */
  exists(path: string): Promise<boolean>;
  /** Creates a symbolic link, replacing a link or file. */
  symlink(target: string, path: string): Promise<void>;
  /** Renames in one step, replacing what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Changes the owner of the entry itself; -1 leaves an id as it is. */
  chown(path: string, uid: number, gid: number): Promise<void>;
  /** Removes a file or link; succeeds when there is none. */
  removeFile(path: string): Promise<void>;
  /**
   * Removes a file, or a directory with its content, links as such; succeeds when there is none. Nothing is removed through a mount point, and no change of the
   * tree meanwhile leads the removal out of it.
   *
   * @throws UnsafePathError for a mount point in the tree; what was removed before stays removed
   */
  removeTree(path: string): Promise<void>;
  /** Removes a directory if it is empty. Returns whether it is gone. */
  removeEmptyDirectory(path: string): Promise<boolean>;
  /** Opens a directory, each component from the one above; `undefined` when there is none. @throws UnsafePathError for a link on the way */
  openDirectory(path: string): Promise<DirectoryHandle | undefined>;
}
