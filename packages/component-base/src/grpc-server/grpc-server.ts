import { createServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { errorMessage } from '../error-message.ts';
import type { Logger } from '../logger.ts';
import { answerFailure } from './answers.ts';
import { filteredConnection } from './filtered-connection.ts';
import { sendPlainMessages } from './plain-messages.ts';
import { reportDisconnect, isDisconnect } from './disconnects.ts';

export { grpcHandlerOptions, type GrpcHandlerOptions } from './handler-options.ts';
export { filteredConnection } from './filtered-connection.ts';

/** Handler of the requests of an HTTP/2 server. */
export type Http2Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void | Promise<void>;

/** A server that {@link createGrpcServer} creates. */
export interface GrpcServer {
  /** Accepts the connections; the caller makes it listen, and closes it. */
  readonly listener: Server;
  /** Open connections. */
  readonly connections: ReadonlySet<Socket>;
  /** Open sessions, one for each connection. */
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/**
 * Creates a server of HTTP/2 without TLS for a handler of gRPC. No request ends the process: a handler that throws or rejects is answered with Internal.
 *
 * Requests with any authority reach the handler, with `localhost` as their authority, as servers in Go ignore it on a unix socket. Clients send the path of the
 * socket there, in several notations, and the handlers of connect-node make a URL of it.
 */
export function createGrpcServer(handle: Http2Handler, logger: Pick<Logger, 'warn' | 'debug'>): GrpcServer {
  const serve = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    try {
      Object.defineProperty(request, 'authority', { value: 'localhost' });
      reportDisconnect(response);
      sendPlainMessages(response);
      await handle(request, response);
    } catch (error) {
      logger.warn('a request failed', { error: errorMessage(error) });
      answerFailure(request, response, error);
    }
  };
  const http2 = createServer((request, response) => void serve(request, response));
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  http2.on('sessionError', (error: NodeJS.ErrnoException) => {
    if (!isDisconnect(error)) logger.debug('a connection failed', { error: errorMessage(error) });
  });
  const connections = new Set<Socket>();
  const listener = createSocketServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    http2.emit('connection', filteredConnection(socket));
  });
  return { listener, connections, sessions };
}
