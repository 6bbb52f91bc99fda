/** Cause of a failed expansion that decides how it goes on. */
export type ExpansionFailure =
  /** The driver does not expand volumes on nodes. */
  | 'not-supported'
  /** The driver does not expand volumes in use. */
  | 'in-use'
  /** The driver cannot ever reach the size. */
  | 'infeasible'
  /** The driver was not called. */
  | 'transient'
  | 'other';

/** A failed expansion of a volume on this node, with the kubelet's message. */
export class VolumeExpansionError extends Error {
  override readonly name = 'VolumeExpansionError';
  readonly failure: ExpansionFailure;

  constructor(failure: ExpansionFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
