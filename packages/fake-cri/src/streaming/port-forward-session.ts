import type { Duplex } from 'node:stream';
import { type Clock, errorMessage } from '@rxlet/component-base';
import type { WebSocket } from 'ws';
import { portFrame } from './channels.ts';
import { createFrameSocket } from './frame-socket.ts';
import type { PortForwardRequest } from './stream-request.ts';

/**
 * Forwards ports to a client that has come. The port with index i has the channels 2i for data and 2i + 1 for an error message, and both begin with
 * its number. When the last of the connections has ended, so does the client's.
 */
export function servePortForward(webSocket: WebSocket, clock: Clock, request: PortForwardRequest): void {
  const encoder = new TextEncoder();
  const connections = new Map<number, Duplex>();

  const socket = createFrameSocket(webSocket, clock, (channel, data) => {
    const connection = connections.get(channel);
    if (connection === undefined || !connection.writable || connection.write(data)) return;
    const release = socket.hold();
    connection.once('drain', release);
    connection.once('close', release);
  });

  const connect = (connection: Duplex, dataChannel: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connections.set(dataChannel, connection);
    connection.on('data', (data: Uint8Array) => {
      connection.pause();
      socket.send(dataChannel, data, () => connection.resume());
    });
    // It has no more to say, and v4 has no half-close: a forwarded connection ends as a whole.
    connection.once('end', () => connection.destroy());
    connection.once('error', reject);
    connection.once('close', resolve);
    const onGone = (): void => void connection.destroy();
    socket.signal.addEventListener('abort', onGone, { once: true });
    if (socket.signal.aborted) onGone();
    return promise.finally(() => {
      socket.signal.removeEventListener('abort', onGone);
      connections.delete(dataChannel);
    });
  };
  const forward = async (port: number, index: number): Promise<void> => {
    const dataChannel = 2 * index;
    const errorChannel = dataChannel + 1;
    socket.send(dataChannel, portFrame(port));
    socket.send(errorChannel, portFrame(port));
    // What the client sends to a port has to wait until it is connected.
    const release = socket.hold();
    try {
      const connection = await request.dial(port).finally(release);
      await connect(connection, dataChannel);
    } catch (error) {
      const message = `error forwarding port ${String(port)} to pod ${request.podSandboxId}: ${errorMessage(error)}`;
      socket.send(errorChannel, encoder.encode(message));
    }
  };
  void Promise.all(request.ports.map(forward)).then(socket.close);
}
