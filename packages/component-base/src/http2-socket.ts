import { createGrpcServer, type Http2Handler } from './grpc-server/grpc-server.ts';
import { createLifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';
import { listenOnUnixSocket } from './unix-socket.ts';
import { errorMessage } from './error-message.ts';

/** Options of {@link serveHttp2OnUnixSocket}. */
export interface Http2SocketOptions {
  /** Path of the socket, whose directory must exist. */
  readonly socketPath: string;
  /** Mode of the socket. Default: 0600. */
  readonly mode?: number;
  /** Loads the handler with the first request: most nodes have no client. */
  load(): Promise<Http2Handler>;
  readonly logger: Pick<Logger, 'warn' | 'debug'>;
}

/**
 * Serves HTTP/2 without TLS, as gRPC needs it, on a unix socket. A stale socket is replaced. Disposal removes it and closes all connections.
 *
 * @throws UnixSocketError when it cannot listen
 */
export async function serveHttp2OnUnixSocket(options: Http2SocketOptions): Promise<AsyncDisposable> {
  const { socketPath, mode, load, logger } = options;
  let loading: Promise<Http2Handler> | undefined;
  const { listener, connections } = createGrpcServer(async (request, response) => {
    loading ??= load();
    await (
      await loading
    )(request, response);
  }, logger);
  const socket = await listenOnUnixSocket(listener, socketPath, mode);
  listener.on('error', (error) => logger.warn('the server failed to accept', { error: errorMessage(error) }));
  const lifetime = createLifetime();
  lifetime.defer(async () => {
    const closed = Promise.withResolvers<void>();
    listener.close(() => closed.resolve());
    // Not the sessions: these would cancel the open calls. A client of Go reports a closed connection as Unavailable.
    for (const connection of connections) connection.destroy();
    await closed.promise;
  });
  lifetime.defer(async () => {
    await socket[Symbol.asyncDispose]();
  });
  return lifetime;
}
