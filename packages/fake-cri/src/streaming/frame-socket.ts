import type { Clock, Timer } from '@rxlet/component-base';
import type { WebSocket } from 'ws';

/** How long a stream may be silent in both directions: the default of the streaming server that runtimes share, and of the kubelet. */
export const IDLE_TIMEOUT_MS: number = 4 * 60 * 60 * 1000;
/** A client that is further behind than this is cut off: what a program writes is not held back, and must not pile up. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;

/** A WebSocket that carries frames of several channels: the first byte of each message is its channel. */
export interface FrameSocket {
  /** Aborts when the connection has ended, whoever ended it. */
  readonly signal: AbortSignal;
  /** Sends a frame; `onSent` is called when it has left, also when it got lost. Does nothing after the end. */
  send(channel: number, data: Uint8Array, onSent?: () => void): void;
  /** Stops reading until the function that it returns has been called, by everybody who holds. */
  hold(): () => void;
  /** Ends the connection after what was sent. */
  close(): void;
}

/** Reads frames from `socket` and ends it when it has been idle for {@link IDLE_TIMEOUT_MS}. */
export function createFrameSocket(
  socket: WebSocket,
  clock: Clock,
  onFrame: (channel: number, data: Uint8Array) => void,
): FrameSocket {
  const controller = new AbortController();
  let lastActivityMs = clock.monotonicNow();
  let holds = 0;
  let timer: Timer;

  const end = (code: number, reason?: string): void => {
    // The client's answer to the end has to be read, whoever holds.
    holds = Infinity;
    socket.resume();
    socket.close(code, reason);
  };
  // One timer a connection, set again for what is left, instead of one a frame.
  const watchIdle = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => {
      const leftMs = lastActivityMs + IDLE_TIMEOUT_MS - clock.monotonicNow();
      if (leftMs > 0) watchIdle(leftMs);
      else end(GOING_AWAY, 'idle timeout');
    });
  };
  watchIdle(IDLE_TIMEOUT_MS);

  socket.on('message', (data: Buffer) => {
    lastActivityMs = clock.monotonicNow();
    const channel = data[0];
    if (channel !== undefined) onFrame(channel, data.subarray(1));
  });
  // A broken connection: `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    timer[Symbol.dispose]();
    controller.abort(new Error('the client is gone'));
  });

  return {
    signal: controller.signal,
    send(channel, data, onSent) {
      if (socket.readyState !== socket.OPEN) return;
      lastActivityMs = clock.monotonicNow();
      const frame = new Uint8Array(data.length + 1);
      frame[0] = channel;
      frame.set(data, 1);
      socket.send(frame, () => onSent?.());
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
    },
    hold() {
      let held = true;
      holds += 1;
      if (holds < Infinity) socket.pause();
      return () => {
        if (!held) return;
        held = false;
        holds -= 1;
        if (holds === 0) socket.resume();
      };
    },
    close: () => end(NORMAL_CLOSURE),
  };
}
