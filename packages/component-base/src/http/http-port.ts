/** An HTTP GET request. */
export interface HttpGetRequest {
  readonly scheme: 'http' | 'https';
  /** Name or address, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query, percent-encoded, beginning with `/`. */
  readonly path: string;
  /** `Host` header. Default: hostname and port. */
  readonly hostHeader?: string | undefined;
  /** All other headers, in order; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Response to a request. */
export interface HttpGetResponse {
  readonly status: number;
  /** The `Location` header. */
  readonly location: string | undefined;
  /** Body as far as it arrived, up to the requested size. */
  readonly body: Uint8Array;
  /** Reason why the body is incomplete; `undefined` when it is complete or has the requested size. */
  readonly bodyError: string | undefined;
}

/** Options of {@link HttpPort.get}. */
export interface HttpGetOptions {
  /** Maximum size of the body. The rest is not read. */
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once status and headers have arrived, before the body. */
  readonly onHeaders?: (() => void) | undefined;
}

/** Port for HTTP requests. */
export interface HttpPort {
  /**
   * Sends one request on a connection of its own, which is closed when the call ends. Follows no redirect, verifies no certificate, uses no proxy. The response reports a
   * body that breaks off.
   *
   * Rejects with {@link HttpError}, or with the reason of the signal.
   */
  get(request: HttpGetRequest, options: HttpGetOptions): Promise<HttpGetResponse>;
}

/** Reason why a request failed. */
export type HttpErrorReason =
  /** The server was not reached, or did not speak HTTP. */
  | 'Transport'
  /** An `https` request was answered without TLS, as plain HTTP servers do. */
  | 'PlainHttpServer'
  /** The server redirected too often, or to no valid URL. */
  | 'Redirect';

/** An HTTP request failed without a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly reason: HttpErrorReason;

  constructor(reason: HttpErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Returns the host and port of a URL: `10.0.0.1:80`, `[fd00::1]:80`. */
export function hostAndPort(hostname: string, port: number): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`;
}

/** Returns the request's URL. */
export function requestUrl({ scheme, hostname, port, path }: HttpGetRequest): string {
  return `${scheme}://${hostAndPort(hostname, port)}${path}`;
}
