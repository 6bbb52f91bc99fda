/** Which kind of hook failed. */
export type LifecycleHookErrorReason =
  | 'ExecHookFailed'
  | 'HttpHookFailed'
  | 'SleepHookFailed'
  /** The handler is of no kind that a hook can be. */
  | 'InvalidHandler';

/** A lifecycle hook failed. The message is the kubelet's, to be shown to the pod's owner (`PostStartHookError`). */
export class LifecycleHookError extends Error {
  override readonly name = 'LifecycleHookError';
  readonly reason: LifecycleHookErrorReason;

  constructor(reason: LifecycleHookErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
