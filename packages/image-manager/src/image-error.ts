import type { ImageFailure, ImageFailureReason } from '@rxlet/agent-api/images';

/** Error of a request for an image. Its message is the waiting message of the container. */
export class ImageError extends Error implements ImageFailure {
  override readonly name = 'ImageError';
  readonly reason: ImageFailureReason;
  /** Epoch milliseconds before which another request is rejected with `ImagePullBackOff`; absent without a back-off. */
  readonly backoffUntilMs: number | undefined;

  constructor(reason: ImageFailureReason, message: string, options: { backoffUntilMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.backoffUntilMs = options.backoffUntilMs;
  }
}
