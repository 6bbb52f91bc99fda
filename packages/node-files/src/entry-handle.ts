import type { FileInfo } from './file-info.ts';

/** An open entry of a directory, whatever its kind but no link. It stays that very entry, whatever happens to its path. It can neither be read nor written. */
export interface EntryHandle extends AsyncDisposable {
  /** Path under which the entry was opened, for messages. */
  readonly path: string;
  /** Number of the file descriptor, for a program that inherits it; -1 for an entry in memory. */
  readonly descriptor: number;
  /** Current attributes. */
  stat(): Promise<FileInfo>;
  chmod(mode: number): Promise<void>;
  /** Changes the owner; -1 leaves an id as it is. */
  chown(uid: number, gid: number): Promise<void>;
}
