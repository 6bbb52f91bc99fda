import { PORT_FORWARD } from '../port-forward.ts';
import { V1, V4, V5 } from '../remote-command.ts';
import type { StreamKind } from '../stream-request.ts';

/** Channels of exec and attach: the first byte of each message. */
export const Channel = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  /** Outcome, a metav1.Status in JSON: the last message of the server. */
  status: 3,
  resize: 4,
  /** v5 only: the second byte is the channel that the client half-closes. */
  close: 255,
} as const;

/** Prefix of the protocols of a WebSocket as a connection that carries SPDY: its messages have no channel. */
export const TUNNEL_PREFIX = 'SPDY/3.1+';
/** Protocol of kubectl's port-forward. */
export const TUNNEL: string = TUNNEL_PREFIX + PORT_FORWARD;

/** Reports whether a WebSocket protocol carries SPDY. */
export function isTunnel(protocol: string): boolean {
  return protocol.startsWith(TUNNEL_PREFIX) && protocol.endsWith('.k8s.io');
}

const BASE64 = 'base64.channel.k8s.io';
const V4_BASE64 = 'v4.base64.channel.k8s.io';
/** Protocol of a client that offers none. */
export const NO_PROTOCOL = '';

/** WebSocket protocols of each kind of stream, without those that clients get whenever they offer them. */
const CHANNEL_PROTOCOLS: Readonly<Record<StreamKind, ReadonlySet<string>>> = {
  exec: new Set([NO_PROTOCOL, V1, BASE64, V4, V4_BASE64]),
  attach: new Set([NO_PROTOCOL, V1, BASE64, V4, V4_BASE64]),
  portforward: new Set([NO_PROTOCOL, V4, V4_BASE64]),
};
/** Protocols that win wherever they stand in the offer. */
const PREFERRED: Readonly<Record<StreamKind, string>> = { exec: V5, attach: V5, portforward: TUNNEL };

/** Returns the protocol for a client's offer, which is in the order of the client; `undefined` when there is none in common. */
export function chooseSubprotocol(kind: StreamKind, offered: readonly string[]): string | undefined {
  if (offered.includes(PREFERRED[kind])) return PREFERRED[kind];
  const offers = offered.length === 0 ? [NO_PROTOCOL] : offered;
  return offers.find((protocol) => CHANNEL_PROTOCOLS[kind].has(protocol));
}

/** Form of the messages of a protocol. */
export interface ChannelCodec {
  encode(channel: number, data: Uint8Array): Uint8Array | string;
  /** Returns the channel and its data; `undefined` for an empty or malformed message. */
  decode(message: Buffer): { readonly channel: number; readonly data: Buffer } | undefined;
}

/** The first byte is the channel. Messages in text frames are the same. */
const binaryCodec: ChannelCodec = {
  encode(channel, data) {
    const message = new Uint8Array(data.length + 1);
    message[0] = channel;
    message.set(data, 1);
    return message;
  },
  decode: (message) => (message.length === 0 ? undefined : { channel: message[0]!, data: message.subarray(1) }),
};

const DIGIT_ZERO = 0x30;
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The first character is the channel as a digit, the rest is base64. */
const base64Codec: ChannelCodec = {
  encode: (channel, data) => String.fromCharCode(DIGIT_ZERO + channel) + Buffer.from(data).toString('base64'),
  decode(message) {
    const text = message.toString('latin1', 1);
    if (message.length === 0 || !BASE64_TEXT.test(text)) return undefined;
    return { channel: (message[0]! - DIGIT_ZERO) & 0xff, data: Buffer.from(text, 'base64') };
  },
};

/** Returns the codec of a protocol. */
export function codecOf(protocol: string): ChannelCodec {
  return protocol === BASE64 || protocol === V4_BASE64 ? base64Codec : binaryCodec;
}

/** Reports whether the status of a command is JSON in this protocol. */
export function hasJsonStatus(protocol: string): boolean {
  return protocol === V5 || protocol === V4 || protocol === V4_BASE64;
}

/** Returns the first message of both channels of a forwarded port: its number, little endian. */
export function portMessage(port: number): Uint8Array {
  return Uint8Array.of(port & 0xff, port >> 8);
}
