/** Why a log could not be read. */
export type LogReadErrorReason = 'NotFound' | 'UnsupportedFormat';

/** A log that could not be read (further). */
export class LogReadError extends Error {
  override readonly name = 'LogReadError';
  readonly reason: LogReadErrorReason;

  constructor(reason: LogReadErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
