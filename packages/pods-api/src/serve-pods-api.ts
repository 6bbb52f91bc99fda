import { type Clock, createRateLimiter, type Logger } from '@rxlet/component-base';
import { serveHttp2OnUnixSocket } from '@rxlet/component-base/http2-socket';
import type { PodsApi } from './create-pods-api.ts';

/** The kubelet's limits of requests. */
const REQUESTS_PER_SECOND = 100;
const BURST = 10;
/** The kubelet's mode: the directory decides who may connect. */
const SOCKET_MODE = 0o755;

/** Options of {@link servePodsApi}. */
export interface PodsApiServerOptions {
  /** Path of the socket, whose directory must exist. */
  readonly socketPath: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves the pods API, version v1alpha1, in gRPC on a unix socket. A stale socket is replaced. Disposal removes it and closes all connections.
 *
 * @throws UnixSocketError when it cannot listen
 */
export async function servePodsApi(
  api: PodsApi,
  { socketPath, clock, logger }: PodsApiServerOptions,
): Promise<AsyncDisposable> {
  const limiter = createRateLimiter(clock, REQUESTS_PER_SECOND, BURST);
  return serveHttp2OnUnixSocket({
    socketPath,
    mode: SOCKET_MODE,
    logger,
    async load() {
      const { createGrpcHandler } = await import('./grpc-handler.ts');
      return createGrpcHandler(api, limiter);
    },
  });
}
