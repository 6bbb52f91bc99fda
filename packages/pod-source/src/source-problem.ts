/** What is wrong with a place that pods come from, or with one pod there. */
export type SourceProblemReason =
  /** The folder or file cannot be listed: it does not exist, or may not be read. */
  | 'SourceUnavailable'
  /** Changes are noticed only by the periodic look. */
  | 'NotWatched'
  /** The last good pods cannot be kept, or those of an earlier run cannot be read. */
  | 'NotRemembered'
  /** An entry of the folder that is no regular file. */
  | 'NotAFile'
  /** A file that cannot be read, or is too large. */
  | 'FileUnreadable'
  /** A file that holds no valid pod. */
  | 'InvalidManifest'
  /** A valid pod with something in it that has no effect. */
  | 'ManifestWarning';

/** Something that somebody has to repair. The source goes on without it. */
export interface SourceProblem {
  /** Name of the source. */
  readonly source: string;
  /** The file or folder. */
  readonly path: string;
  readonly reason: SourceProblemReason;
  /** One line that names the thing, what is wrong with it, and the way out. */
  readonly message: string;
}
