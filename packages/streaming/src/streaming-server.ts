import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, onAbort, type Random, type Timer } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { answerText } from './http/answer.ts';
import { acceptSpdy } from './spdy/accept-spdy.ts';
import { serveCommandOverSpdy } from './spdy/spdy-command.ts';
import { servePortForwardOverSpdy } from './spdy/spdy-port-forward.ts';
import type { OpenStream, StreamRequest } from './stream-request.ts';
import { createTerminalSizes, type TerminalSizes } from './terminal-size.ts';
import { createTokenCache } from './token-cache.ts';
import { acceptWebSocket } from './websocket/accept-websocket.ts';
import { chooseSubprotocol, TUNNEL } from './websocket/channels.ts';
import { offeredSubprotocols } from './websocket/offered-subprotocols.ts';
import { createTunnelStream } from './websocket/tunnel-stream.ts';
import { serveCommandOverWebSocket } from './websocket/websocket-command.ts';
import { servePortForwardOverWebSocket } from './websocket/websocket-port-forward.ts';

/** Deadline for a connection to become a stream, as in the streaming server that runtimes share. */
export const CREATION_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 1000;

/** Address of the streaming server. */
export interface StreamingOptions {
  /** Address to bind to. Default: `127.0.0.1`. Clients that can reach it need only the token of a URL. */
  readonly host?: string;
  /** Default: `0`, any that is free. */
  readonly port?: number;
}

/** Ports of {@link createStreamingServer}. */
export interface StreamingPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Returns a signal that aborts when the runtime stops, which closes its streams and invalidates its URLs; a new one after each start. Default: never. */
  readonly signal?: () => AbortSignal;
}

/** A request, and the signal of the runtime that accepted it. */
interface Ticket {
  readonly request: StreamRequest;
  readonly runtimeSignal: AbortSignal;
}

/** A stream whose client is connected. */
interface Session {
  readonly request: StreamRequest;
  readonly sizes: TerminalSizes;
  /** Reports whether neither side has begun to close it. */
  readonly isOpen: () => boolean;
}

/** The HTTP server behind the URLs of Exec, Attach and PortForward. It listens from the first URL on, and disposal closes all streams. */
export interface StreamingServer extends AsyncDisposable {
  /**
   * Returns the URL at which a client finds `request`, once and within a minute. Throws ResourceExhausted when too many wait, Unavailable when the server
   * cannot listen.
   */
  urlFor(request: StreamRequest): Promise<string>;
  /** Returns the streams with connected clients. */
  streams(): readonly OpenStream[];
}

/**
 * Creates a {@link StreamingServer} that speaks SPDY/3.1 and WebSocket.
 *
 * @example
 * ```ts
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createStreamingServer, exitStatus } from '@rxlet/streaming';
 *
 * await using server = createStreamingServer({ clock: systemClock, random: systemRandom });
 * const url = await server.urlFor({
 *   kind: 'exec',
 *   container: 'c1',
 *   ...{ tty: false, stdin: false, stdout: true, stderr: false },
 *   run: async ({ stdout }) => {
 *     stdout?.write('hello');
 *     return exitStatus(0);
 *   },
 * });
 * ```
 */
export function createStreamingServer(
  { clock, random, signal = () => new AbortController().signal }: StreamingPorts,
  { host = '127.0.0.1', port = 0 }: StreamingOptions = {},
): StreamingServer {
  const tokens = createTokenCache<Ticket>(clock, random);
  const connections = new Set<Duplex>();
  const sessions = new Map<Duplex, Session>();
  /** Connections that have not become streams, with their deadlines. */
  const pending = new Map<Duplex, Timer>();
  let listening: Promise<Server> | undefined;
  let hasEnded = false;

  const settle = (connection: Duplex): void => {
    pending.get(connection)?.[Symbol.dispose]();
    pending.delete(connection);
  };
  /** Records a connection that has become a stream, which ends with its runtime. */
  const openSession = (
    connection: Duplex,
    { request, runtimeSignal }: Ticket,
    isOpen: () => boolean,
  ): TerminalSizes => {
    settle(connection);
    const sizes = createTerminalSizes();
    sessions.set(connection, { request, sizes, isOpen });
    const listener = onAbort(runtimeSignal, () => connection.destroy());
    connection.once('close', () => {
      sessions.delete(connection);
      listener[Symbol.dispose]();
    });
    return sizes;
  };
  const upgradeToSpdy = (message: IncomingMessage, connection: Duplex, head: Buffer, ticket: Ticket): void => {
    const { request } = ticket;
    const protocol = acceptSpdy(request.kind, message, connection, head);
    if (protocol === undefined) return;
    const sizes = openSession(connection, ticket, () => connection.writable);
    if (request.kind === 'portforward') servePortForwardOverSpdy(connection, clock, request);
    else serveCommandOverSpdy(connection, clock, request, sizes, protocol);
  };
  const upgradeToWebSocket = (message: IncomingMessage, connection: Duplex, head: Buffer, ticket: Ticket): void => {
    const { request } = ticket;
    const protocol = chooseSubprotocol(request.kind, offeredSubprotocols(message));
    acceptWebSocket(message, connection, head, protocol, (webSocket) => {
      const sizes = openSession(connection, ticket, () => webSocket.readyState === webSocket.OPEN);
      const ports = { clock, connection };
      if (request.kind !== 'portforward') serveCommandOverWebSocket(webSocket, protocol!, ports, request, sizes);
      else if (protocol === TUNNEL) servePortForwardOverSpdy(createTunnelStream(webSocket, connection), clock, request);
      else servePortForwardOverWebSocket(webSocket, protocol!, ports, request);
    });
  };
  const onUpgrade = (message: IncomingMessage, connection: Duplex, head: Buffer): void => {
    connection.on('error', () => undefined);
    const [, kind, token] = splitPath(message);
    const ticket = token === undefined ? undefined : tokens.consume(token);
    if (ticket === undefined || ticket.request.kind !== kind || ticket.runtimeSignal.aborted) {
      answerText(
        connection,
        404,
        'no such stream: the token of its URL is unknown, was used before, or is older than a minute',
      );
      return;
    }
    const isWebSocket = message.headers.upgrade?.toLowerCase() === 'websocket';
    (isWebSocket ? upgradeToWebSocket : upgradeToSpdy)(message, connection, head, ticket);
  };

  const listen = (): Promise<Server> => {
    // The clock's timer below replaces Node's own timeouts.
    const server = httpModule.createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (connection) => {
      connections.add(connection);
      pending.set(
        connection,
        clock.setTimer(CREATION_TIMEOUT_MS, () => connection.destroy()),
      );
      connection.once('close', () => {
        connections.delete(connection);
        settle(connection);
      });
    });
    server.on('request', ({ socket }: IncomingMessage) => {
      answerText(socket, 400, 'the request must be an upgrade to SPDY/3.1 or WebSocket');
    });
    server.on('upgrade', onUpgrade);
    const { promise, resolve, reject: fail } = Promise.withResolvers<Server>();
    server.once('error', (error) => {
      const message = `the streaming server cannot listen on ${host}: ${errorMessage(error)}`;
      fail(new ServiceError(StatusCode.Unavailable, message, { cause: error }));
    });
    server.listen(port, host, () => resolve(server));
    return promise;
  };

  return {
    async urlFor(request) {
      if (hasEnded) throw new ServiceError(StatusCode.Unavailable, 'the streaming server has stopped');
      const runtimeSignal = signal();
      // A failure is not cached: the port may be free the next time.
      listening ??= listen().catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      const { address, port: boundPort } = (await listening).address() as AddressInfo;
      const token = tokens.insert({ request, runtimeSignal });
      return `http://${isIPv6(address) ? `[${address}]` : address}:${String(boundPort)}/${request.kind}/${token}`;
    },
    streams: () =>
      [...sessions.values()]
        .filter(({ isOpen }) => isOpen())
        .map(({ request, sizes }) => ({
          kind: request.kind,
          id: request.kind === 'portforward' ? request.pod : request.container,
          terminalSize: sizes.last,
        })),
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      const server = await listening?.catch(() => undefined);
      listening = undefined;
      if (server === undefined) return;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** `/exec/TOKEN`, split at the slashes; a query does not matter. */
function splitPath({ url = '' }: IncomingMessage): readonly string[] {
  const parts = url.replace(/\?.*$/, '').split('/');
  return parts.length === 3 ? parts : [];
}
