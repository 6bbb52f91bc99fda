/** Reason of a {@link PodsApiError}, which names the code of gRPC. */
export type PodsApiErrorReason = 'NotFound' | 'Internal' | 'ResourceExhausted' | 'Unavailable';

/** A request of the pods API failed. */
export class PodsApiError extends Error {
  override readonly name = 'PodsApiError';
  readonly reason: PodsApiErrorReason;

  constructor(reason: PodsApiErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
