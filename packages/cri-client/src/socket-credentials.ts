import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** What happens around each attempt of a channel to connect. */
export interface ConnectHooks {
  /** Called before the attempt, which begins when the promise resolves and fails when it rejects. */
  beforeConnect(): Promise<void>;
  /** The socket is connected; the HTTP/2 handshake follows. */
  connected(socket: Socket): void;
}

/**
 * Plain, unencrypted credentials with hooks. They are the one place where grpc-js lets a client take part in connecting, and the client must: of
 * itself grpc-js waits for a peer's handshake for ever, keeps such a socket open after the channel was closed, and takes the time and the randomness
 * of its back-off from the system.
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
      waitForReady: () => hooks.beforeConnect(),
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
