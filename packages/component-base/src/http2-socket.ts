import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { errorMessage } from './error-message.ts';
import { createLifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';
import { listenOnUnixSocket } from './unix-socket.ts';

/** Handler of the requests of an HTTP/2 server. */
export type Http2Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Options of {@link serveHttp2OnUnixSocket}. */
export interface Http2SocketOptions {
  /** Path of the socket, whose directory must exist. */
  readonly socketPath: string;
  /** Mode of the socket. Default: 0600. */
  readonly mode?: number;
  /** Loads the handler with the first request: most nodes have no client. */
  load(): Promise<Http2Handler>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Serves HTTP/2 without TLS, as gRPC needs it, on a unix socket. A stale socket is replaced. Disposal removes it and closes all connections.
 *
 * @throws UnixSocketError when it cannot listen
 */
export async function serveHttp2OnUnixSocket(options: Http2SocketOptions): Promise<AsyncDisposable> {
  const { socketPath, mode, load, logger } = options;
  let loading: Promise<Http2Handler> | undefined;
  const onError = (error: unknown): void => logger.warn('a connection failed', { error: errorMessage(error) });
  const server = createServer((request, response) => {
    reportDeparture(response);
    loading ??= load();
    loading
      .then((handle) => handle(request, response))
      .catch((error: unknown) => {
        onError(error);
        response.stream.destroy();
      });
  });
  const connections = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  server.on('sessionError', (error: NodeJS.ErrnoException) => {
    if (!DEPARTURES.has(error.code)) onError(error);
  });
  const socket = await listenOnUnixSocket(server, socketPath, mode);
  server.on('error', onError);
  const lifetime = createLifetime();
  lifetime.defer(async () => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    // Not the sessions: these would cancel the open calls. A client of Go reports a closed connection as Unavailable.
    for (const connection of connections) connection.destroy();
    await closed.promise;
  });
  lifetime.defer(async () => {
    await socket[Symbol.asyncDispose]();
  });
  return lifetime;
}

/** Errors of connections and writes when a client has left. */
const DEPARTURES: ReadonlySet<string | undefined> = new Set(['ECANCELED', 'ECONNRESET', 'EPIPE']);

/** Reports a write to a client that has left as one to a destroyed stream. Connect prints other errors on standard error. */
function reportDeparture(response: Http2ServerResponse): void {
  const write = response.write.bind(response) as (...parameters: readonly unknown[]) => boolean;
  const wrap = (parameter: unknown): unknown => {
    if (typeof parameter !== 'function') return parameter;
    const done = parameter as (error?: unknown) => void;
    return (error?: NodeJS.ErrnoException | null) => {
      if (!DEPARTURES.has(error?.code)) done(error);
      else done(Object.assign(new Error('the client has left', { cause: error }), { code: 'ERR_STREAM_DESTROYED' }));
    };
  };
  response.write = (...parameters: readonly unknown[]) => write(...parameters.map(wrap));
}
