import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

const NORMAL_CLOSURE = 1000;

/** Returns the binary messages of a WebSocket as a connection. Its end closes the WebSocket with code 1000. */
export function createTunnelStream(webSocket: WebSocket, connection: Duplex): Duplex {
  const tunnel = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Buffer, _encoding, done) => webSocket.send(chunk, (error) => done(error)),
    final(done) {
      // The client's answer to the close must be read.
      webSocket.resume();
      webSocket.close(NORMAL_CLOSURE);
      connection.end();
      done();
    },
    destroy(error, done) {
      webSocket.terminate();
      done(error);
    },
  });
  // A broken connection: `close` follows.
  webSocket.on('error', () => undefined);
  tunnel.on('error', () => undefined);
  webSocket.on('message', (message: Buffer) => {
    if (!tunnel.push(message)) webSocket.pause();
  });
  webSocket.once('close', () => {
    tunnel.push(null);
    // What has been received is still read; output has no receiver.
    if (tunnel.readableEnded || tunnel.readableLength === 0) tunnel.destroy();
    else tunnel.once('end', () => tunnel.destroy());
  });
  return tunnel;
}
