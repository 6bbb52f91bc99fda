/** What a name in a folder stands for, symbolic links followed. `missing`: a link to nothing. */
export type ManifestEntryKind = 'file' | 'folder' | 'missing' | 'other';

/** One name in a folder, or a single file. */
export interface ManifestEntry {
  /** Without the folder. */
  readonly name: string;
  /** Path to read it by, and to show. */
  readonly path: string;
  readonly kind: ManifestEntryKind;
  readonly sizeBytes: number;
  /** Changes whenever the content may have changed. */
  readonly version: string;
}

/** What is at a path. */
export interface ManifestListing {
  /** A folder, or a file that is its own only entry. */
  readonly kind: 'folder' | 'file';
  /** Changes when another folder takes the place: a watch on the old one is worth nothing then. */
  readonly identity: string;
  /** In any order. */
  readonly entries: readonly ManifestEntry[];
}

/** The port by which a file source sees a folder (or a single file) of manifests. `nodeManifestFolder` is the machine's own. */
export interface ManifestFolder {
  /** What is at `path` now. Rejects when there is nothing, or it cannot be seen. */
  list(path: string): Promise<ManifestListing>;
  /**
   * The bytes of a regular file. Rejects when it is none (never waits for a pipe to be filled), or has more than `maxBytes`; with
   * `ManifestFileGone` when it does not exist any more.
   */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /**
   * Calls `onChange` when something at `path` may have changed, until disposed of. Calls `onEnd` once when it cannot go on; throws when it cannot begin.
   */
  watch(path: string, onChange: () => void, onEnd: (error: Error) => void): Disposable;
}

/** A file was there when listed and is gone when read. */
export class ManifestFileGone extends Error {
  override readonly name = 'ManifestFileGone';
}
