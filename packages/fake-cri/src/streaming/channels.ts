import type { StreamKind } from './stream-request.ts';

/** The first byte of each frame of exec and attach. */
export const STDIN_CHANNEL = 0;
export const STDOUT_CHANNEL = 1;
export const STDERR_CHANNEL = 2;
/** How it ended, a metav1.Status in JSON: the last frame of the server. */
export const STATUS_CHANNEL = 3;
export const RESIZE_CHANNEL = 4;
/** v5 only (KEP-4006): the second byte is the channel on which the client has nothing more to say. */
export const CLOSE_CHANNEL = 255;

/** Adds the half-close of stdin to v4. */
export const V5 = 'v5.channel.k8s.io';
export const V4 = 'v4.channel.k8s.io';

/** The WebSocket subprotocols for each kind of stream, the best first. The half-close of v5 is about stdin, so that port-forwarding has only v4. */
export const SUBPROTOCOLS: Readonly<Record<StreamKind, readonly string[]>> = {
  exec: [V5, V4],
  attach: [V5, V4],
  portforward: [V4],
};

/** The best of what both sides speak. */
export function chooseSubprotocol(kind: StreamKind, offered: ReadonlySet<string>): string | undefined {
  return SUBPROTOCOLS[kind].find((protocol) => offered.has(protocol));
}

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** What a frame of the resize channel says, `{"Width":80,"Height":24}`; `undefined` when it is no size. */
export function parseTerminalSize(json: string): TerminalSize | undefined {
  let size: unknown;
  try {
    size = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { Width: width, Height: height } = (size ?? {}) as { Width?: unknown; Height?: unknown };
  return isUint16(width) && isUint16(height) ? { width, height } : undefined;
}

/** The first frame of both channels of a forwarded port: its number, little endian. */
export function portFrame(port: number): Uint8Array {
  return Uint8Array.of(port & 0xff, port >> 8);
}

function isUint16(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff;
}
