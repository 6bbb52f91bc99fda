import type { Duplex } from 'node:stream';
import { Writable } from 'node:stream';
import type { Clock, Timer } from '@rxlet/component-base';
import type { WebSocket } from 'ws';
import { createIdleWatch } from '../idle-watch.ts';
import type { ChannelCodec } from './channels.ts';

const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;
/** Largest message, as from the kubelet. */
const MAX_DATA_BYTES = 32 * 1024;
/** Time for a client to close a connection that the server has ended. */
const CLOSE_TIMEOUT_MS = 10_000;

/** A WebSocket that carries several channels. */
export interface ChannelSocket {
  /** Aborts when the connection has ended, from either side. */
  readonly signal: AbortSignal;
  /** Sends a message; `onSent` is called when it was sent or lost. */
  send(channel: number, data: Uint8Array, onSent?: () => void): void;
  /** Returns a channel as a stream, which is held back while the client does not read. Its end sends nothing. */
  writable(channel: number): Writable;
  /** Stops reading until every returned function was called. */
  hold(): () => void;
  /** Ends the connection after the pending messages. */
  close(): void;
}

/** Ports of {@link createChannelSocket}. */
export interface ChannelSocketPorts {
  readonly clock: Clock;
  /** The connection below the WebSocket. */
  readonly connection: Duplex;
  readonly codec: ChannelCodec;
}

/** Reads messages from `socket`, and ends it when it has been idle for too long. */
export function createChannelSocket(
  socket: WebSocket,
  { clock, connection, codec }: ChannelSocketPorts,
  onMessage: (channel: number, data: Buffer) => void,
): ChannelSocket {
  const controller = new AbortController();
  let holds = 0;
  let closing: Timer | undefined;
  const end = (code: number, reason?: string): void => {
    if (closing !== undefined || controller.signal.aborted) return;
    closing = clock.setTimer(CLOSE_TIMEOUT_MS, () => connection.destroy());
    // The client's answer to the close must be read even while reading is paused.
    holds = Infinity;
    socket.resume();
    socket.close(code, reason);
    // As other servers, this one does not wait for the answer.
    connection.end();
  };
  const idle = createIdleWatch(clock, () => end(GOING_AWAY, 'idle timeout'));
  socket.on('message', (message: Buffer) => {
    idle.touch();
    const decoded = codec.decode(message);
    if (decoded !== undefined && closing === undefined) onMessage(decoded.channel, decoded.data);
  });
  // A broken connection: `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    idle[Symbol.dispose]();
    closing?.[Symbol.dispose]();
    controller.abort(new Error('the client has disconnected'));
  });
  const send: ChannelSocket['send'] = (channel, data, onSent) => {
    if (socket.readyState !== socket.OPEN) {
      onSent?.();
      return;
    }
    idle.touch();
    let start = 0;
    for (; data.length - start > MAX_DATA_BYTES; start += MAX_DATA_BYTES) {
      socket.send(codec.encode(channel, data.subarray(start, start + MAX_DATA_BYTES)));
    }
    socket.send(codec.encode(channel, data.subarray(start)), () => onSent?.());
  };
  return {
    signal: controller.signal,
    send,
    writable: (channel) =>
      new Writable({ write: (chunk: Buffer, _encoding, done) => send(channel, chunk, () => done()) }),
    hold() {
      let isHeld = true;
      holds += 1;
      if (holds < Infinity) socket.pause();
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds === 0) socket.resume();
      };
    },
    close: () => end(NORMAL_CLOSURE),
  };
}
