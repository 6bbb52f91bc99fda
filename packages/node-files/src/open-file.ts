import type { FileInfo } from './file-info.ts';

/** A regular file that is open for reading. */
export interface OpenFile extends AsyncDisposable {
  /** Differs from that of a file that took its place under the same name. */
  readonly identity: string;
  /** Reads up to `length` bytes at `offset`; none at the end of the file. Later reads do not change bytes that were returned. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Current attributes. */
  stat(): Promise<FileInfo>;
}
