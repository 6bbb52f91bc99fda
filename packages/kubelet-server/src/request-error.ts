/** A request that cannot be answered, with the HTTP status that says so. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** Header fields of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
