import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Hooks around each attempt of a channel to connect. */
export interface ConnectHooks {
  /** Delays the attempt until the promise resolves; the attempt fails if it rejects. */
  beforeConnect?(): Promise<void>;
  /** Called when the socket is connected, before the HTTP/2 handshake. */
  connected?(socket: Socket): void;
}

/**
 * The sockets of one channel. Disposing of them destroys them, and each that connects later, so that nothing is left of a channel that was closed before; the asynchronous
 * disposal ends when they are closed.
 */
export interface ChannelSockets extends Disposable, AsyncDisposable {
  /** Plain, unencrypted credentials for that channel. */
  readonly credentials: ChannelCredentials;
}

/**
 * Creates the sockets of a channel. They are needed because grpc-js has no other hook into connecting: it waits for the handshake of a peer without a limit, and keeps such a
 * socket open after its channel was closed.
 */
export function createChannelSockets(hooks: ConnectHooks = {}): ChannelSockets {
  const sockets = new Set<Socket>();
  let isDisposed = false;
  const destroy = (): void => {
    isDisposed = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    credentials: new SocketCredentials({
      beforeConnect: hooks.beforeConnect?.bind(hooks),
      connected(socket) {
        if (isDisposed) {
          socket.destroy();
          return;
        }
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        hooks.connected?.(socket);
      },
    }),
    [Symbol.dispose]: destroy,
    async [Symbol.asyncDispose]() {
      const closed = Array.from(sockets, (socket) => new Promise((resolve) => void socket.once('close', resolve)));
      destroy();
      await Promise.all(closed);
    },
  };
}

class SocketCredentials extends ChannelCredentials {
  readonly #hooks: ConnectHooks;

  constructor(hooks: ConnectHooks) {
    super();
    this.#hooks = hooks;
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(): SecureConnector {
    const hooks = this.#hooks;
    const callCredentials = CallCredentials.createEmpty();
    return {
      waitForReady: () => hooks.beforeConnect?.() ?? Promise.resolve(),
      connect(socket) {
        hooks.connected?.(socket);
        return Promise.resolve({ socket, secure: false });
      },
      getCallCredentials: () => callCredentials,
      destroy: () => undefined,
    };
  }
}
