import type { Duplex } from 'node:stream';

/** A request to an HTTP service. Its body is read and dropped. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case; values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Response of an HTTP service. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string;
}

/** Answers an HTTP/1.1 request. `signal` aborts when the client disconnects or the port closes. */
export interface HttpService {
  readonly protocol: 'http';
  respond(request: HttpRequest, signal: AbortSignal): HttpResponse | Promise<HttpResponse>;
}

/**
 * Accepts connections. Each belongs to the service, which must also end it: a half-closed client may still wait for a response. {@link acceptOnly} is the
 * simplest.
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
  /** Returns the health of `service`, which is empty for the server as a whole; `undefined` for an unknown one, for which the call fails with NOT_FOUND. */
  check(service: string, signal: AbortSignal): HealthStatus | undefined | Promise<HealthStatus | undefined>;
}

/** Service on a port of a pod. */
export type PortService = HttpService | TcpService | GrpcHealthService;

/** Service that accepts each connection, reads and drops its input, and ends with the client, as a TCP probe needs. */
export const acceptOnly: TcpService = {
  protocol: 'tcp',
  accept(connection) {
    connection.on('end', () => connection.end());
    connection.resume();
  },
};
