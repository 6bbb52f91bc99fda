/** Why a garbage collection of images failed; the first two are also reasons of events. */
export type ImageGcErrorReason =
  /** The disk has no size. */
  | 'InvalidDiskCapacity'
  /** All was removed that may be, and it was not enough. */
  | 'FreeDiskSpaceFailed'
  /** The runtime did not remove images that it was told to. */
  | 'ImageDeletionFailed'
  /** It could not be found out which images there are, which are used, or how full the disk is. */
  | 'ImageStatsUnavailable';

/** What a garbage collection rejects with. Its message is the kubelet's. */
export class ImageGcError extends Error {
  override readonly name = 'ImageGcError';
  readonly reason: ImageGcErrorReason;

  constructor(reason: ImageGcErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
