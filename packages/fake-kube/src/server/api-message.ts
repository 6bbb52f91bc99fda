import { type ApiError, statusOf } from '../api-error.ts';
import type { NodeRoute } from '../node-proxy/node-route.ts';
import type { User } from '../auth/user.ts';

/** A request as it comes over the wire. */
export interface ApiRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
  /** User of the connection: that of its client certificate. A token in the headers wins. */
  readonly user?: User | undefined;
  /** The client presented a certificate that has expired, or that another authority issued. Without a token, the request is rejected. */
  readonly hasInvalidCertificate?: boolean | undefined;
  /** Aborts when the client is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer as it goes over the wire. */
export interface ApiResponse {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An answer of the server, or the kubelet that answers in its place. */
export interface RoutedResponse extends ApiResponse {
  readonly route?: NodeRoute;
}

/** The connection ended without an answer. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  /** As of a socket: `ECONNREFUSED` before the request, `ECONNRESET` after it. */
  readonly code: 'ECONNREFUSED' | 'ECONNRESET';

  constructor(code: ConnectionLostError['code']) {
    super(code === 'ECONNREFUSED' ? 'connection refused' : 'connection reset');
    this.code = code;
  }
}

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: once(JSON.stringify(body)) };
}

export function textResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: once(text) };
}

export function bytesResponse(contentType: string, bytes: Uint8Array): ApiResponse {
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  })();
  return { status: 200, headers: { 'content-type': contentType }, body };
}

export function errorResponse(error: ApiError): ApiResponse {
  const { retryAfterSeconds } = error.details;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  return jsonResponse(error.code, statusOf(error), headers);
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
