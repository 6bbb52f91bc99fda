import type { DirectoryHandle } from './directory-handle.ts';
import type { FileInfo } from './file-info.ts';
import type { OpenFile } from './open-file.ts';

/**
 * Reading access to files of the node that administrators and the runtime own: configuration, manifests, logs. Links are followed. Opening never waits, also
 * when the path leads to a pipe.
 */
export interface HostFiles {
  /** Reads a regular file; `undefined` when there is none. @throws UnsafeFileError for another kind or more than `maxBytes`; its message quotes no content */
  read(path: string, maxBytes: number): Promise<HostFile | undefined>;
  /** Opens a regular file; `undefined` when there is none. @throws UnsafeFileError for another kind */
  open(path: string): Promise<OpenFile | undefined>;
  /** Opens a directory, to be used without following links below it; `undefined` when there is none. */
  openDirectory(path: string): Promise<DirectoryHandle | undefined>;
  /** Describes what a path leads to; `undefined` when there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Lists a directory, or a single file as its own only entry. Rejects with ENOENT when there is nothing. */
  list(path: string): Promise<HostListing>;
  /**
   * Watches a file, or a directory and its direct entries, until disposed of. A directory or file that takes the place of the watched one is reported as a change;
   * a directory must then be watched anew, because the watch stays on the previous one. Throws when it cannot begin.
   */
  watch(path: string, observer: HostWatchObserver): Disposable;
}

/** Content and mode of a file. */
export interface HostFile {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** Entries of a directory, or a file. */
export interface HostListing {
  readonly kind: 'directory' | 'file';
  /** Differs when another directory took the place, so that a watch on the old one has become useless. */
  readonly identity: string;
  /** In any order. */
  readonly entries: readonly HostEntry[];
}

/** An entry of a {@link HostListing}. */
export interface HostEntry {
  readonly name: string;
  readonly path: string;
  /** Attributes of what the entry leads to; `undefined` for a link to nothing or in a circle, and with {@link HostEntry.error}. */
  readonly info: FileInfo | undefined;
  /** Cause for which an entry cannot be described, such as EIO or EACCES. */
  readonly error?: Error | undefined;
}

/** Observer of a watched path. */
export interface HostWatchObserver {
  /** Something may have changed. Calls without a change are possible. */
  onChange(change: HostChange): void;
  /**
   * A complete file appeared under a name: it was moved or linked there, and not written in place. Follows the call of `onChange`. It is a hint: a file that is
   * complete may be reported by `onChange` only.
   */
  onPlaced?(entry: PlacedFile): void;
  /**
   * A file was removed or moved away; another one may have its name by now. Follows the call of `onChange`. It is a hint: a removal that is followed by a file that was
   * moved into its place at once is reported by `onPlaced` only, as a replacement is.
   */
  onRemoved?(path: string): void;
  /** The watch ended; called once. */
  onEnd?(error: Error): void;
}

/** A change that a watch saw. */
export interface HostChange {
  /** Name within the directory; `undefined` when it is not known. */
  readonly name: string | undefined;
}

/** A regular file that was moved or linked into place. */
export interface PlacedFile extends HostEntry {
  readonly info: FileInfo;
}
