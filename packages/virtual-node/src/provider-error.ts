/**
 * Kind of a provider's failure: the pod does not exist there, the pod is impossible there and fails for good, or the provider cannot be reached. Failures without a
 * kind are repeated, as those of an unavailable provider.
 */
export type ProviderErrorReason = 'NotFound' | 'Rejected' | 'Unavailable';

/** Error with which a call of a `PodProvider` rejects. Only the `reason` matters, so a provider may throw a class of its own. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly reason: ProviderErrorReason;

  constructor(reason: ProviderErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Reports whether an error is of this kind. */
export function isProviderError(error: unknown, reason: ProviderErrorReason): boolean {
  return error instanceof Error && 'reason' in error && error.reason === reason;
}
