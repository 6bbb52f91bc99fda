import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { type Clock, createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import type { ConnectionLimits } from '../listeners/connection-limits.ts';
import { createHandlerListener, KEEP_ALIVE_MS, type Listener, listenOnAddress } from '../listeners/serve.ts';
import { MAX_HEADER_BYTES, type ServerHandler } from '../server-handler.ts';
import { type ClientAuthorities, parseAuthorities } from './client-authorities.ts';
import { createTlsServer, followIdentity } from './https-listener.ts';
import type { TlsSettings } from './tls-settings.ts';

/** Ports of {@link createSharedHttpsServer}. */
export interface SharedHttpsServerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createSharedHttpsServer}. */
export interface SharedHttpsServerOptions {
  readonly address: string;
  readonly tls?: TlsSettings | undefined;
  /** Certificate of the server. Handshakes fail while there is none. */
  readonly certificate: CurrentValue<TlsKeyPair | undefined>;
  /** Authorities that sign the certificates of clients, as PEM. */
  readonly clientCaPem: string;
}

/** HTTPS server of several agents in one process, each of which has a port. Disposal closes all connections. */
export interface SharedHttpsServer extends AsyncDisposable {
  /** Listens on a port; 0: a free one. Rejects when it cannot. */
  listen(port: number): Promise<SharedPort>;
}

/** A port of a {@link SharedHttpsServer}, of one agent. */
export interface SharedPort {
  readonly port: number;
  readonly clientAuthorities: CurrentValue<ClientAuthorities>;
  /** Admits a request until the returned function is called; `undefined` for one too many. */
  readonly admit: (socket: Socket) => (() => void) | undefined;
  /** Answers the requests to this port until the disposal. Connections before and after are closed. `create` is called for the first request. */
  answer(create: () => ServerHandler): Disposable;
}

/** Bounds of all agents together. The API server of a cluster is one client of them all. */
const LIMITS: ConnectionLimits = { maxRequests: 16_384, maxIdle: 4096 };

/**
 * Creates a {@link SharedHttpsServer}. An agent answers requests by the option `sharedPort` of `kubeletApi()`.
 *
 * @throws Error when `clientCaPem` has no certificate
 */
export function createSharedHttpsServer(
  ports: SharedHttpsServerPorts,
  { address, tls = {}, certificate, clientCaPem }: SharedHttpsServerOptions,
): SharedHttpsServer {
  const lifetime = createLifetime();
  const clientAuthorities = createCurrentValue(parseAuthorities(clientCaPem));
  const identity = { tls, certificate, clientAuthorities };
  const answerers = new Map<number, () => ServerHandler>();
  let inject: (connection: Socket) => void = (connection) => connection.destroy();
  let admitConnection: SharedPort['admit'] = () => undefined;

  const handlerOf = ({ socket }: IncomingMessage): ServerHandler | undefined =>
    answerers.get(socket.localPort ?? 0)?.();
  const listener: Listener = createHandlerListener(
    ports,
    ({ admit }) => {
      admitConnection = admit;
      const hasStreams = (message: IncomingMessage): boolean => handlerOf(message)?.hasStreams(message) === true;
      return {
        options: { shouldUpgradeCallback: hasStreams, maxHeaderSize: MAX_HEADER_BYTES },
        hasStreams,
        onRequest(message, response) {
          const handler = handlerOf(message);
          if (handler === undefined) message.socket.destroy();
          else handler.onRequest(message, response);
        },
        onUpgrade(message, socket, head) {
          const handler = handlerOf(message);
          if (handler === undefined) socket.destroy();
          else handler.onUpgrade(message, socket, head);
        },
      };
    },
    LIMITS,
    createTlsServer(identity),
    async (server, serving) => {
      followIdentity(server as HttpsServer, ports, identity, serving);
      inject = (connection) => void server.emit('connection', connection);
    },
  );
  lifetime.defer(async () => listener[Symbol.asyncDispose]());

  return {
    async listen(wanted) {
      await listener.start();
      const server = createNetServer({ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) =>
        answerers.has(port) ? inject(socket) : socket.destroy(),
      );
      await listenOnAddress(server, address, wanted);
      const { port } = server.address() as AddressInfo;
      server.on('error', (error) =>
        ports.logger.error('a connection could not be accepted', { port, error: errorMessage(error) }),
      );
      lifetime.defer(() => void server.close());
      return {
        port,
        clientAuthorities,
        admit: (socket) => admitConnection(socket),
        answer(create) {
          let handler: ServerHandler | undefined;
          const answerer = (): ServerHandler => (handler ??= create());
          answerers.set(port, answerer);
          return {
            [Symbol.dispose]() {
              if (answerers.get(port) === answerer) answerers.delete(port);
            },
          };
        },
      };
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
