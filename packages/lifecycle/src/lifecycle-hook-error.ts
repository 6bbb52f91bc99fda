/** Kind of the failed hook. */
export type LifecycleHookErrorReason =
  | 'ExecHookFailed'
  | 'HttpHookFailed'
  | 'SleepHookFailed'
  /** The handler is not an exec, httpGet or sleep handler. */
  | 'InvalidHandler';

/** A lifecycle hook failed. The message is the kubelet's, for the pod's status (`PostStartHookError`). */
export class LifecycleHookError extends Error {
  override readonly name = 'LifecycleHookError';
  readonly reason: LifecycleHookErrorReason;

  constructor(reason: LifecycleHookErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
