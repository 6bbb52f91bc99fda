import type { Duplex } from 'node:stream';

/** A request as an HTTP service sees it. Its body is read and dropped. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case; values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What an HTTP service answers. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string;
}

/** Answers HTTP/1.1. `signal` aborts when the client leaves or the port closes, so that a slow answer need not be waited for. */
export interface HttpService {
  readonly protocol: 'http';
  respond(request: HttpRequest, signal: AbortSignal): HttpResponse | Promise<HttpResponse>;
}

/**
 * Takes connections; each belongs to the service, which also ends it: a client that has sent all it has may still wait for an answer.
 * {@link acceptOnly} is the simplest.
 */
export interface TcpService {
  readonly protocol: 'tcp';
  accept(connection: Duplex): void;
}

/** `HealthCheckResponse.ServingStatus` of grpc.health.v1. */
export type HealthStatus = 'UNKNOWN' | 'SERVING' | 'NOT_SERVING';

/** Answers `grpc.health.v1.Health/Check`. */
export interface GrpcHealthService {
  readonly protocol: 'grpc';
  /** The health of `service`, which is empty for the server as a whole; `undefined` for one it does not have: the call fails with NOT_FOUND then. */
  check(service: string, signal: AbortSignal): HealthStatus | undefined | Promise<HealthStatus | undefined>;
}

/** What answers on a port of a pod. */
export type PortService = HttpService | TcpService | GrpcHealthService;

/** A service that takes each connection, reads and drops what comes, and ends with the client: all that a TCP probe needs. */
export const acceptOnly: TcpService = {
  protocol: 'tcp',
  accept(connection) {
    connection.on('end', () => connection.end());
    connection.resume();
  },
};
