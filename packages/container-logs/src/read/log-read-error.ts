/** Reasons for which a log cannot be read. */
export type LogReadErrorReason =
  /** There is no log file. */
  | 'NotFound'
  /** The log's path leads to something that is not a regular file. */
  | 'NotAFile'
  /** The first line is not of a known format. */
  | 'UnsupportedFormat'
  /** A line of Docker's format names another stream than stdout and stderr, or none. */
  | 'UnexpectedStream'
  /** The option `sinceTime` is not an RFC 3339 time. */
  | 'InvalidSinceTime';

/** Error of a log that cannot be read, or not to its end. */
export class LogReadError extends Error {
  override readonly name = 'LogReadError';
  readonly reason: LogReadErrorReason;

  constructor(reason: LogReadErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
