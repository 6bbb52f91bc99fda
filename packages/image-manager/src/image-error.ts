/** Why an image is not there; shown as the waiting reason of the container. */
export type ImageErrorReason =
  /** The reference does not parse. */
  | 'InvalidImageName'
  /** The runtime could not say whether it has the image. */
  | 'ImageInspectError'
  /** Absent, and the policy is Never. */
  | 'ErrImageNeverPull'
  /** A pull failed just now. */
  | 'ErrImagePull'
  /** A pull failed before, and it is too early for the next. */
  | 'ImagePullBackOff'
  /** A pull failed just now: the runtime says that the registry is not available. */
  | 'RegistryUnavailable'
  /** A pull failed just now: the runtime's policy refuses the signature. */
  | 'SignatureValidationFailed';

/** What a request for an image rejects with. Its message is the one to show as the waiting message of the container. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: ImageErrorReason;
  /** Epoch milliseconds before which another request is refused with `ImagePullBackOff`; absent when a request may be made at any time. */
  readonly backoffUntilMs: number | undefined;

  constructor(reason: ImageErrorReason, message: string, options: { backoffUntilMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.backoffUntilMs = options.backoffUntilMs;
  }
}
