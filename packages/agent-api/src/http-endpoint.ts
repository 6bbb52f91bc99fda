import { collectionKey, type CollectionKey } from './collection-key.ts';

/** An HTTP endpoint of the agent, independent of the server that serves it. */
export interface HttpEndpoint {
  /** Path without its first slash: `containerLogs`, `metrics/cadvisor`. Of the endpoints that match a request, the one with the longest path answers. */
  readonly path: string;
  /** Methods that the endpoint answers; others get status 405. Absent: any. */
  readonly methods?: readonly string[];
  /** Number of path segments that must follow; with fewer the path does not exist. Default: 0. */
  readonly minSegments?: number;
  /** Number of path segments that may follow. Default: 0. */
  readonly maxSegments?: number;
  /** Media type of the answers, which clients must accept; others get status 406. Absent: as in the kubelet, an endpoint with methods or further segments needs clients that accept any. */
  readonly produces?: string;
  /** Whether the read-only port serves it too, to anybody and without authentication. Default: no. */
  readonly isOnReadOnlyPort?: boolean;
  /** Whether only the socket of the agent's owner serves it, not the kubelet's API. Default: no. */
  readonly isLocal?: boolean;
  /** Whether people open the endpoint in a browser. A server with such an endpoint rejects requests that pages of other origins make a browser send. Default: no. */
  readonly isPage?: boolean;
  /** Answers a request. An `EndpointError` becomes its status, any other throw status 500. */
  handle(request: EndpointRequest): EndpointResponse | Promise<EndpointResponse>;
}

/** HTTP endpoints, by the first segment of their path. An agent without a server needs none. */
export const httpEndpoints: CollectionKey<HttpEndpoint> = collectionKey('HTTP endpoints', {
  isOptional: true,
  owns: ({ path }) => [`endpoint /${path}`],
});

/** A request as an endpoint sees it. */
export interface EndpointRequest {
  readonly method: string;
  /** Decoded path segments below the endpoint's own. */
  readonly segments: readonly string[];
  readonly parameters: URLSearchParams;
  /** Header fields, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborts when the client goes away or the agent is disposed of. */
  readonly signal: AbortSignal;
}

/** The answer of an endpoint. */
export interface EndpointResponse {
  /** Default: 200. */
  readonly status?: number;
  /** Default: `text/plain; charset=utf-8`. `null`: none. */
  readonly contentType?: string | null;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, no faster than the client reads. The server closes its iterator when the client goes away. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

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
