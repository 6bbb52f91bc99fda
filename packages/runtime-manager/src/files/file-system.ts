/**
 * The files of pods on the node, as far as the runtime manager writes them. Paths are absolute.
 *
 * An agent runs as root in directories that containers can partly write to, so an implementation must never follow a symbolic link below the agent's own
 * directories: a link found on the way is an error, not a detour.
 */
export interface FileSystem {
  /** Creates a directory and what is missing above it, with this mode whatever the umask; one that is there already is left as it is. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /**
   * Writes a file in place, made with this mode if it is new. In place, since a bind mount shows what it was made from: containers that run would not see
   * a file that replaced it.
   */
  writeFile(path: string, content: string, mode: number): Promise<void>;
  /**
   * Puts a file with this mode in the place of the old one, so that at any instant, a loss of power included, there is either the old content or the new. Once it
   * resolves it is the new. Calls for one path must not overlap.
   */
  replaceFile(path: string, content: string, mode: number): Promise<void>;
  /** Makes a new empty file with this mode whatever the umask. Rejects when there is one. */
  createFile(path: string, mode: number): Promise<void>;
  /** The last `maxBytes` of a file; `undefined` when there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Content of a file of the node itself, which may be a link (`/etc/hosts`, `/etc/resolv.conf`). Rejects when there is none. */
  readNodeFile(path: string): Promise<string>;
  /** The names in a directory; empty when there is none. */
  list(path: string): Promise<readonly string[]>;
  /** Whether a path leads to something, links followed. */
  exists(path: string): Promise<boolean>;
  /** Makes a symbolic link, in the place of one that is there. */
  link(target: string, path: string): Promise<void>;
  /** Removes a file or link; one that is not there is no error. */
  removeFile(path: string): Promise<void>;
  /** Removes a directory with all that is in it, links as such; one that is not there is no error. */
  removeTree(path: string): Promise<void>;
  /** Removes a directory if it is empty. @returns whether it is gone. */
  removeEmptyDirectory(path: string): Promise<boolean>;
}
