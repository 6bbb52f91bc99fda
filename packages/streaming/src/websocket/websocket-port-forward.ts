import type { Duplex } from 'node:stream';
import { errorMessage, onAbort } from '@rxlet/component-base';
import type { WebSocket } from 'ws';
import { forwardErrorMessage } from '../port-forward.ts';
import type { PortForwardRequest } from '../stream-request.ts';
import { codecOf, portMessage } from './channels.ts';
import { type ChannelSocketPorts, createChannelSocket } from './channel-socket.ts';

/**
 * Forwards ports over a WebSocket. The port with index i has the channels 2i for data and 2i + 1 for an error message, and both begin with its number. The client's
 * connection ends with the last forwarded one.
 */
export function servePortForwardOverWebSocket(
  webSocket: WebSocket,
  protocol: string,
  ports: Omit<ChannelSocketPorts, 'codec'>,
  request: PortForwardRequest,
): void {
  const connections = new Map<number, Duplex>();
  /** Functions that end the hold of the client's data, by the connection that accepts no more. */
  const releases = new Map<Duplex, () => void>();
  const socket = createChannelSocket(webSocket, { ...ports, codec: codecOf(protocol) }, (channel, data) => {
    const connection = connections.get(channel);
    if (connection === undefined || !connection.writable || connection.write(data)) return;
    if (!releases.has(connection)) releases.set(connection, socket.hold());
  });
  const connect = (connection: Duplex, channel: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connections.set(channel, connection);
    connection.on('data', (data: Uint8Array) => {
      connection.pause();
      socket.send(channel, data, () => connection.resume());
    });
    // v4 has no half-close, so a forwarded connection ends as a whole.
    connection.once('end', () => connection.destroy());
    const release = (): void => {
      releases.get(connection)?.();
      releases.delete(connection);
    };
    connection.on('drain', release);
    connection.once('error', reject);
    connection.once('close', () => {
      release();
      resolve();
    });
    const listener = onAbort(socket.signal, () => connection.destroy());
    return promise.finally(() => {
      listener[Symbol.dispose]();
      connections.delete(channel);
    });
  };
  const forward = async (port: number, index: number): Promise<void> => {
    const channel = 2 * index;
    // Data for a port must wait until it is connected.
    const release = socket.hold();
    try {
      await connect(await request.dial(port).finally(release), channel);
    } catch (error) {
      socket.send(channel + 1, Buffer.from(forwardErrorMessage(port, request.pod, errorMessage(error))));
    }
  };
  for (const [index, port] of request.ports.entries()) {
    socket.send(2 * index, portMessage(port));
    socket.send(2 * index + 1, portMessage(port));
  }
  void Promise.all(request.ports.map(forward)).then(socket.close);
}
