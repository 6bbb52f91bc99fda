import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Hooks around each attempt of a channel to connect. */
export interface ConnectHooks {
  /** Delays the attempt until the promise resolves; the attempt fails if it rejects. Default: no delay. */
  beforeConnect?(): Promise<void>;
  /** Called when the socket is connected, before the HTTP/2 handshake. */
  connected(socket: Socket): void;
}

/**
 * Plain, unencrypted credentials with hooks. They are the only hook of grpc-js into connecting. Clients need it, because grpc-js waits forever for a peer's
 * handshake, keeps such a socket open after the channel was closed, and uses the system's time and randomness for its back-off.
 */
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
        hooks.connected(socket);
        return Promise.resolve({ socket, secure: false });
      },
      getCallCredentials: () => callCredentials,
      destroy: () => undefined,
    };
  }
}

/** Creates the credentials of a channel to a unix socket. */
export function createSocketCredentials(hooks: ConnectHooks): ChannelCredentials {
  return new SocketCredentials(hooks);
}
