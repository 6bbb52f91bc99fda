/** A message of the runtime lacks a field that CRI requires. */
export class RuntimeResponseError extends Error {
  override readonly name = 'RuntimeResponseError';
  readonly reason = 'InvalidResponse';
  /** Path of the field, such as `status.createdAt`. */
  readonly field: string;
  /** Subject of the message, such as `container 0123…`. */
  readonly subject: string;

  constructor(subject: string, field: string) {
    super(`invalid response of the container runtime about ${subject}: ${field} is not set`);
    this.field = field;
    this.subject = subject;
  }
}
