/** One HTTP GET as it goes over the wire. */
export interface HttpGetRequest {
  readonly scheme: 'http' | 'https';
  /** Name or address, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query, percent-encoded, beginning with `/`. */
  readonly path: string;
  /** The `Host` header; absent: hostname and port. */
  readonly hostHeader?: string | undefined;
  /** All other headers, in order; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What came back. */
export interface HttpGetResponse {
  readonly status: number;
  /** The `Location` header. */
  readonly location: string | undefined;
  /** As much of the body as was asked for and arrived. */
  readonly body: Uint8Array;
  /** Why no more of it arrived; `undefined` when it is complete, or as long as was asked for. */
  readonly bodyError: string | undefined;
}

/** How {@link HttpPort.get} is called. */
export interface HttpGetOptions {
  /** The rest of a longer body is not read. */
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when status and headers are there, and the body is still to come. */
  readonly onHeaders?: (() => void) | undefined;
}

/** The network, as far as HTTP needs it. */
export interface HttpPort {
  /**
   * Sends one request on a connection of its own, which is gone when the call ends. Follows no redirect, verifies no certificate, uses no proxy. A body
   * that breaks off is told in the answer.
   *
   * Rejects with {@link HttpError}, or with the reason of the signal.
   */
  get(request: HttpGetRequest, options: HttpGetOptions): Promise<HttpGetResponse>;
}

/** Why there is no answer. */
export type HttpErrorReason =
  /** The server was not reached, or did not speak HTTP. */
  | 'Transport'
  /** An `https` request was answered without TLS, as plain HTTP servers do. */
  | 'PlainHttpServer'
  /** The server redirected too often, or to no valid URL. */
  | 'Redirect';

/** An HTTP request had no answer. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly reason: HttpErrorReason;

  constructor(reason: HttpErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** `10.0.0.1:80`, `[fd00::1]:80`. */
export function hostAndPort(hostname: string, port: number): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`;
}

/** The request's URL. */
export function requestUrl({ scheme, hostname, port, path }: HttpGetRequest): string {
  return `${scheme}://${hostAndPort(hostname, port)}${path}`;
}
