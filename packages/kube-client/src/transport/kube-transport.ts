/** A request on its way to the API server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Cancels the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

/** An answer of the API server. */
export interface TransportResponse {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Decoded body. Reading it to the end, or leaving the iteration, releases the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to one API server, over a network or within the process. */
export interface KubeTransport {
  /** Host and port of the API server, for metrics. Default: unknown. */
  readonly host?: string;
  /** Rejects when there is no answer: with the reason of the signal, with a `KubeError` for credentials, with any other error for a broken connection. */
  send(request: TransportRequest): Promise<TransportResponse>;
}
