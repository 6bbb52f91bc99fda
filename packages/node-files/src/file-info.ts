/** Kinds of directory entries. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'socket' | 'fifo' | 'block-device' | 'character-device';

/** Attributes of a directory entry. */
export interface FileInfo {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Space on the disk, which is less than the size for a file with holes. */
  readonly allocatedBytes: number;
  /** Names of the entry; 0 for an open file that was removed. */
  readonly links: number;
  /** Permission bits, set-id and sticky bits included. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When the content last changed, in epoch milliseconds; 0 when that is not known. */
  readonly modifiedMs: number;
  /** Equal for two names of one file, different for two files that exist at the same time. */
  readonly identity: string;
  /** Differs whenever the content or the attributes may have changed. */
  readonly version: string;
}
