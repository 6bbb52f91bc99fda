import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Random, type Timer } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { type WebSocket, WebSocketServer } from 'ws';
import { chooseSubprotocol, SUBPROTOCOLS, type TerminalSize } from './channels.ts';
import { serveCommand } from './command-session.ts';
import { servePortForward } from './port-forward-session.ts';
import type { OpenStream, StreamRequest } from './stream-request.ts';
import { createTokenCache } from './token-cache.ts';

/** How long a connection may take to become a stream, as in the streaming server that runtimes share. */
export const CREATION_TIMEOUT_MS = 30_000;
/** Most connections at a time. */
const MAX_CONNECTIONS = 1000;
/** Longest message of a client; kubectl sends 32 KiB at most. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Where the streaming server listens. */
export interface StreamingOptions {
  /** Address to bind to. Default: `127.0.0.1`. Whoever can reach it needs only the token of a URL. */
  readonly host?: string;
  /** Default: `0`, any that is free. */
  readonly port?: number;
}

/** What a {@link StreamingServer} needs. */
export interface StreamingPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the runtime stops, which cuts off its streams and makes its URLs void; another one when it was started again. Default: never. */
  readonly signal?: () => AbortSignal;
}

/** A request, and the signal of the runtime that took it. */
interface Ticket {
  readonly request: StreamRequest;
  readonly runtimeSignal: AbortSignal;
}

/** The HTTP server behind the URLs of Exec, Attach and PortForward. It listens from the first of them on. */
export interface StreamingServer extends AsyncDisposable {
  /** Where a client finds `request`, once and within a minute. Throws ResourceExhausted when too many wait, Unavailable when the server cannot listen. */
  urlFor(request: StreamRequest): Promise<string>;
  /** The streams whose clients are connected. */
  streams(): readonly OpenStream[];
}

/** Creates a {@link StreamingServer}. Disposing it cuts all streams off. */
export function createStreamingServer(
  { clock, random, signal = () => new AbortController().signal }: StreamingPorts,
  { host = '127.0.0.1', port = 0 }: StreamingOptions = {},
): StreamingServer {
  const tokens = createTokenCache<Ticket>(clock, random);
  const sessions = new Map<WebSocket, OpenStream>();
  /** Connections that have not become streams, and until when they must. */
  const pending = new Map<Duplex, Timer>();
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered, request) => {
      const [, kind] = splitPath(request);
      return chooseSubprotocol(kind as OpenStream['kind'], offered) ?? false;
    },
  });
  let listening: Promise<Server> | undefined;
  let ended = false;

  const settle = (connection: Duplex): void => {
    pending.get(connection)?.[Symbol.dispose]();
    pending.delete(connection);
  };

  const serve = (webSocket: WebSocket, { request, runtimeSignal }: Ticket): void => {
    const id = request.kind === 'portforward' ? request.podSandboxId : request.containerId;
    const session = { kind: request.kind, id, terminalSize: undefined as TerminalSize | undefined };
    sessions.set(webSocket, session);
    const cutOff = (): void => webSocket.terminate();
    runtimeSignal.addEventListener('abort', cutOff, { once: true });
    webSocket.once('close', () => {
      sessions.delete(webSocket);
      runtimeSignal.removeEventListener('abort', cutOff);
    });
    if (request.kind === 'portforward') servePortForward(webSocket, clock, request);
    else serveCommand(webSocket, clock, request, (size) => void (session.terminalSize = size));
  };

  const onUpgrade = (message: IncomingMessage, connection: Duplex, head: Buffer): void => {
    // Its owner is gone then, and there is nobody to tell.
    connection.on('error', () => undefined);
    const [, kind, token] = splitPath(message);
    const ticket = token === undefined ? undefined : tokens.consume(token);
    if (ticket === undefined || ticket.request.kind !== kind || ticket.runtimeSignal.aborted) {
      refuse(
        connection,
        404,
        'no such stream: the token of its URL is unknown, was used before, or is older than a minute',
      );
      return;
    }
    const { request } = ticket;
    const spoken = SUBPROTOCOLS[request.kind].join(' or ');
    const upgrade = message.headers.upgrade ?? '';
    if (upgrade.toLowerCase() !== 'websocket') {
      refuse(
        connection,
        400,
        `cannot upgrade to "${upgrade}": this runtime streams over WebSocket with subprotocol ${spoken}`,
      );
      return;
    }
    const offered = (message.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (chooseSubprotocol(request.kind, new Set(offered)) === undefined) {
      refuse(
        connection,
        403,
        `no subprotocol in common: the client offers "${offered.join(', ')}", this runtime speaks ${spoken}`,
      );
      return;
    }
    webSockets.handleUpgrade(message, connection, head, (webSocket) => {
      settle(connection);
      serve(webSocket, ticket);
    });
  };

  const listen = (): Promise<Server> => {
    // The clock's timer below takes the place of Node's own timeouts.
    const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (connection) => {
      pending.set(
        connection,
        clock.setTimer(CREATION_TIMEOUT_MS, () => connection.destroy()),
      );
      connection.once('close', () => settle(connection));
    });
    server.on('request', ({ socket }: IncomingMessage) => {
      refuse(socket, 400, 'this runtime streams over WebSocket: the request has to ask for an upgrade');
    });
    server.on('upgrade', onUpgrade);
    const { promise, resolve, reject } = Promise.withResolvers<Server>();
    server.once('error', (error) => {
      const message = `the streaming server cannot listen on ${host}: ${errorMessage(error)}`;
      reject(new ServiceError(StatusCode.Unavailable, message, { cause: error }));
    });
    server.listen(port, host, () => resolve(server));
    return promise;
  };

  const close = async (server: Server): Promise<void> => {
    const open = [...sessions.keys()].map((webSocket) => new Promise((resolve) => webSocket.once('close', resolve)));
    const closed = new Promise((resolve) => server.close(resolve));
    for (const webSocket of sessions.keys()) webSocket.terminate();
    for (const connection of pending.keys()) connection.destroy();
    await Promise.all([...open, closed]);
  };

  return {
    async urlFor(request) {
      if (ended) throw new ServiceError(StatusCode.Unavailable, 'the streaming server has stopped');
      const token = tokens.insert({ request, runtimeSignal: signal() });
      // A failure is not kept: the port may be free the next time.
      listening ??= listen().catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      const { address, port: boundPort } = (await listening).address() as AddressInfo;
      return `http://${isIPv6(address) ? `[${address}]` : address}:${String(boundPort)}/${request.kind}/${token}`;
    },
    streams: () =>
      [...sessions]
        .filter(([webSocket]) => webSocket.readyState === webSocket.OPEN)
        .map(([, session]) => ({ ...session })),
    async [Symbol.asyncDispose]() {
      ended = true;
      const server = await listening?.catch(() => undefined);
      listening = undefined;
      if (server !== undefined) await close(server);
    },
  };
}

/** `/exec/TOKEN`, split at the slashes; a query does not matter. */
function splitPath({ url = '' }: IncomingMessage): readonly string[] {
  const parts = url.replace(/\?.*$/, '').split('/');
  return parts.length === 3 ? parts : [];
}

/** Answers with an error in plain text and ends the connection. */
function refuse(connection: Duplex, status: number, message: string): void {
  const body = `${message}\n`;
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status]!}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
  ];
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
