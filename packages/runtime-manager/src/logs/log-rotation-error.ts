/** Why a log is not rotated. */
export type LogRotationErrorReason =
  /** An option makes no sense; thrown when the rotator is created. */
  | 'InvalidOption'
  /** There is no log file, and the runtime did not make one when asked to. */
  | 'LogMissing'
  /** What is at the log's path is no regular file. */
  | 'NotAFile'
  /** The log's path leads out of the directory of pod logs, or over a link. */
  | 'UnsafePath'
  /** The runtime did not turn to a new file. The log has its old name again, unless the message says otherwise. */
  | 'ReopenFailed'
  /** Something else; the message tells. */
  | 'Failed';

/** A log that was not rotated, or options that would not have any rotated. */
export class LogRotationError extends Error {
  override readonly name = 'LogRotationError';
  readonly reason: LogRotationErrorReason;

  constructor(reason: LogRotationErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
