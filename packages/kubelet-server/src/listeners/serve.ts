import type { Server, ServerOptions } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { type Clock, createLifetime, errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import type { AccessControl } from '../access/access-control.ts';
import type { ForeignPageCheck } from '../access/foreign-pages.ts';
import type { Route } from '../routing/route.ts';
import { createServerHandler, type ServerHandler, type ServerHandlerPorts } from '../server-handler.ts';
import type { RequestMeter } from './request-meter.ts';
import type { RequestTracer } from './request-tracer.ts';
import { type ConnectionLimits, guardConnections } from './connection-limits.ts';

/** Content of a listener, and those who may use it. */
export interface Served {
  readonly routes: readonly Route[];
  /** Absent: everybody who can connect may do everything. */
  readonly access?: AccessControl | undefined;
  /** Rejects requests of pages of other origins. Absent: the listener has no page. */
  readonly checkPage?: ForeignPageCheck | undefined;
  /** Measures the requests. Absent: they are not measured. */
  readonly meter?: RequestMeter | undefined;
  /** Traces the requests. Absent: they are not traced. */
  readonly tracer?: RequestTracer | undefined;
}

/** Ports of listeners. */
export interface ListenerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A server that listens. Disposing of it closes all connections. */
export interface Listener extends AsyncDisposable {
  /** Begins to listen. Further calls have the result of the first. Rejects when it cannot. */
  start(): Promise<void>;
}

/** Time after which a connection without requests is closed, as in the kubelet. Clients with pools of connections count on it. */
const IDLE_TIMEOUT_MS = 90_000;
/** Time for the head of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Time for a whole request with its body. It does not concern answers, however long they are, nor streams, which begin where a request ends. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Period of the checks of these times. */
const TIMEOUT_CHECK_MS = 5000;
/** Time without a sign of life after which the kernel probes a client, as in Go. A client that does not answer ten probes, one a second, is gone. */
export const KEEP_ALIVE_MS: number = 15_000;

/**
 * Creates a {@link Listener}.
 *
 * @param limits bound its requests and connections
 * @param createServer creates the HTTP server with these options
 * @param listen makes it listen, and registers what must be released before the connections are closed
 */
export function createListener(
  ports: ListenerPorts,
  served: Served,
  limits: ConnectionLimits,
  createServer: (options: ServerOptions) => Server,
  listen: (server: Server, lifetime: Lifetime) => Promise<void>,
): Listener {
  const { logger } = ports;
  const createHandler: CreateHandler = (parts) => createServerHandler({ ...served, ...parts, logger });
  return createHandlerListener(ports, createHandler, limits, createServer, listen);
}

/** Creates the handler of a listener. */
export type CreateHandler = (parts: Required<Pick<ServerHandlerPorts, 'admit' | 'lifetime'>>) => ServerHandler;

/** Creates a {@link Listener} with a handler of its own; see {@link createListener}. */
export function createHandlerListener(
  { clock, logger }: ListenerPorts,
  createHandler: CreateHandler,
  limits: ConnectionLimits,
  createServer: (options: ServerOptions) => Server,
  listen: (server: Server, lifetime: Lifetime) => Promise<void>,
): Listener {
  const lifetime = createLifetime();
  const handler = createHandler({ lifetime, admit: (socket) => guard.admit(socket) });
  const server = createServer({
    ...handler.options,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    // A client whose machine died says nothing, and a stream without output would wait for it for ever.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  server.keepAliveTimeout = IDLE_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on('request', handler.onRequest);
  server.on('upgrade', handler.onUpgrade);
  const guard = guardConnections(server, { clock, logger }, limits);
  const start = async (): Promise<void> => {
    lifetime.signal.throwIfAborted();
    lifetime.defer(() => closeServer(server));
    await listen(server, lifetime);
    server.on('error', (error) => logger.error('a connection could not be accepted', { error: errorMessage(error) }));
  };
  let started: Promise<void> | undefined;
  return {
    start: () => (started ??= lifetime.track(start())),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Makes a server listen on an address. */
export function listenOnAddress(server: NetServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`cannot listen on ${host} port ${String(port)}: ${errorMessage(error)}`, { cause: error }));
    });
    server.listen({ host, port }, resolve);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
