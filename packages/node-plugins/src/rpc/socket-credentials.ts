import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Unencrypted credentials that report each connected socket before its HTTP/2 handshake, because grpc-js keeps a socket without handshake open after its client was closed. */
export class SocketCredentials extends ChannelCredentials {
  readonly #onSocket: (socket: Socket) => void;

  constructor(onSocket: (socket: Socket) => void) {
    super();
    this.#onSocket = onSocket;
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(): SecureConnector {
    const onSocket = this.#onSocket;
    const callCredentials = CallCredentials.createEmpty();
    return {
      waitForReady: () => Promise.resolve(),
      connect(socket) {
        onSocket(socket);
        return Promise.resolve({ socket, secure: false });
      },
      getCallCredentials: () => callCredentials,
      destroy: () => undefined,
    };
  }
}
