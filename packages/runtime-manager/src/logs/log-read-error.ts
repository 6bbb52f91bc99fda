/** Why a log could not be read. */
export type LogReadErrorReason =
  /** There is no log file. */
  | 'NotFound'
  /** What is at the log's path is no regular file. */
  | 'NotAFile'
  /** The first line is of no known format. */
  | 'UnsupportedFormat'
  /** A line of Docker's format names another stream than stdout and stderr, or none. */
  | 'UnexpectedStream'
  /** The option `sinceTime` is no RFC 3339 time. */
  | 'InvalidSinceTime';

/** A log that could not be read (further). */
export class LogReadError extends Error {
  override readonly name = 'LogReadError';
  readonly reason: LogReadErrorReason;

  constructor(reason: LogReadErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
