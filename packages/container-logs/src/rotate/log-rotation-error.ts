/** Reasons for which a log is not rotated. */
export type LogRotationErrorReason =
  /** An option is invalid; thrown when the rotator is created. */
  | 'InvalidOption'
  /** There is no log file, and the runtime did not create one on request. */
  | 'LogMissing'
  /** The log's path leads to something that is not a regular file. */
  | 'NotAFile'
  /** The log's path leads out of the directory of pod logs, or over a link. */
  | 'UnsafePath'
  /** The runtime did not open a new file. The log has its previous name again, unless the message reports that renaming it failed. */
  | 'ReopenFailed'
  /** Another failure; see the message. */
  | 'Failed';

/** Error of a log that was not rotated, or of invalid options. */
export class LogRotationError extends Error {
  override readonly name = 'LogRotationError';
  readonly reason: LogRotationErrorReason;

  constructor(reason: LogRotationErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
