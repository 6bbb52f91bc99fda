/** Reason of a failed garbage collection; the first two are also reasons of events. */
export type ImageGcErrorReason =
  /** The disk has a capacity of 0. */
  | 'InvalidDiskCapacity'
  /** Removing all unused images did not free enough space. */
  | 'FreeDiskSpaceFailed'
  /** The runtime failed to remove images. */
  | 'ImageDeletionFailed'
  /** The images, their use or the usage of the disk could not be read. */
  | 'ImageStatsUnavailable';

/** Error of a garbage collection. Its message is the kubelet's. */
export class ImageGcError extends Error {
  override readonly name = 'ImageGcError';
  readonly reason: ImageGcErrorReason;

  constructor(reason: ImageGcErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
