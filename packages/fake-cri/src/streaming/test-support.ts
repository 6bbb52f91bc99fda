import type { StreamStatus } from '@rxlet/streaming';
import { WebSocket } from 'ws';

export const V5 = 'v5.channel.k8s.io';
export const V4 = 'v4.channel.k8s.io';

/** A WebSocket client of the streaming server that records received data. */
export interface StreamClient {
  readonly socket: WebSocket;
  /** Data received on a channel so far. */
  readonly bytes: (channel: number) => Buffer;
  readonly text: (channel: number) => string;
  readonly send: (channel: number, data: string | Uint8Array) => void;
  /** Resolves when `condition` holds, which is checked after every frame; rejects when the connection ends before. */
  readonly until: (condition: () => boolean) => Promise<void>;
  /** Resolves with the close code when the connection has ended. */
  readonly closed: Promise<number>;
  /** The status that ends an exec or attach. */
  readonly status: () => Promise<StreamStatus>;
}

/** Connects to the URL of a stream. */
export async function connectTo(url: string, protocols: string | string[] = V5): Promise<StreamClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols);
  const received = new Map<number, Buffer>();
  const waiting = new Set<() => void>();
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  const bytes = (channel: number): Buffer => received.get(channel) ?? Buffer.alloc(0);

  socket.on('message', (frame: Buffer) => {
    received.set(frame[0]!, Buffer.concat([bytes(frame[0]!), frame.subarray(1)]));
    for (const check of waiting) check();
  });
  socket.once('close', resolve);
  await new Promise<void>((opened, failed) => {
    socket.once('open', opened);
    socket.once('error', failed);
  });
  const client: StreamClient = {
    socket,
    closed,
    bytes,
    text: (channel) => bytes(channel).toString(),
    send: (channel, data) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)])),
    until(condition) {
      return new Promise((held, failed) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          held();
        };
        waiting.add(check);
        void closed.then(() => failed(new Error('the connection has ended')));
        check();
      });
    },
    async status() {
      await closed;
      return JSON.parse(client.text(3)) as StreamStatus;
    },
  };
  return client;
}
