/** Thrown for a runtime's answer that lacks what CRI promises; nothing can be decided on it. */
export class RuntimeResponseError extends Error {
  override readonly name = 'RuntimeResponseError';
  readonly reason = 'InvalidResponse';
  /** The field that is not set, e.g. `status.createdAt`. */
  readonly field: string;
  /** What the answer was about. */
  readonly subject: string;

  constructor(subject: string, field: string) {
    super(`invalid response of the container runtime about ${subject}: ${field} is not set`);
    this.field = field;
    this.subject = subject;
  }
}
