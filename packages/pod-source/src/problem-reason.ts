/** Reason of a problem of a pod source, or of one pod there. */
export type PodSourceProblemReason =
  /** The folder, file or URL does not exist or cannot be read. */
  | 'SourceUnavailable'
  /** Changes are found only by the periodic check. */
  | 'NotWatched'
  /** The last good pods cannot be saved, or those of an earlier run cannot be read. */
  | 'LastGoodPodsUnavailable'
  /** An entry of the folder is not a regular file. */
  | 'NotAFile'
  /** A file cannot be read, or is too large. */
  | 'FileUnreadable'
  /** A file contains no valid pod. */
  | 'InvalidManifest'
  /** A manifest is valid, and a part of it has no effect. */
  | 'ManifestWarning'
  /** A pod of a source has no valid identity, or fails the validation that its source requested. */
  | 'InvalidPod'
  /** Another manifest of the folder has a ConfigMap or Secret of the same name. */
  | 'DuplicateObject'
  /** Another pod of the source has the same name or UID. */
  | 'DuplicatePod';
