/** A request that an endpoint cannot answer, with the HTTP status of the cause. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly status: number;
  /** Header fields of the response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
