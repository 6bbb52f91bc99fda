import type { Clock } from './clock.ts';
import type { Http2Handler } from './grpc-server/grpc-server.ts';
import { serveHttp2OnUnixSocket } from './http2-socket.ts';
import type { Logger } from './logger.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** The kubelet's limits of requests. */
const REQUESTS_PER_SECOND = 100;
const BURST = 10;
/** The kubelet's mode: the directory decides who may connect. */
export const NODE_API_SOCKET_MODE = 0o755;

/** Options of the server of a node's API. */
export interface NodeApiOptions {
  /** Path of the socket, whose directory must exist. */
  readonly socketPath: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves one of the APIs that a kubelet offers to programs on its node, in gRPC on a unix socket. A stale socket is replaced. Disposal removes it and closes all
 * connections.
 *
 * @param load loads the handler with the first request, and applies the kubelet's limit of requests
 * @throws UnixSocketError when it cannot listen
 */
export async function serveNodeApi(
  { socketPath, clock, logger }: NodeApiOptions,
  load: (limiter: RateLimiter) => Promise<Http2Handler>,
): Promise<AsyncDisposable> {
  const limiter = createRateLimiter(clock, REQUESTS_PER_SECOND, BURST);
  return serveHttp2OnUnixSocket({ socketPath, mode: NODE_API_SOCKET_MODE, logger, load: () => load(limiter) });
}
