import { connect, type Socket } from 'node:net';
import { controlFrame, createFrameReader, dataFrame, type Frame, FrameType } from '../spdy/frames.ts';
import { createHeaderCodec } from '../spdy/header-codec.ts';
import type { RecordedFrame, RecordedStep, RecordedStream } from './recorded-streams.ts';
import { requestHeaders } from './recorded-streams.ts';

/** Connection of a raw client, with the server's answer so far. */
export interface RawClient extends Disposable {
  readonly status: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Body of an answer without an upgrade. */
  body(): string;
  readonly steps: readonly RecordedStep[];
  send(frame: RecordedFrame): Promise<void>;
  /** Resolves when `condition` holds, which is checked after each received frame. */
  until(condition: () => boolean): Promise<void>;
}

/** Sends the request of a recording over a connection of its own, and decodes the frames of the answer. */
export async function openRawClient(port: number, stream: RecordedStream): Promise<RawClient> {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const { method, path } = stream.request;
  const lines = requestHeaders(stream).map(([name, value]) => `${name}: ${value}`);
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: node', ...lines, '', ''].join('\r\n'));
  const steps: RecordedStep[] = [];
  const waiting = new Set<() => void>();
  const codec = createHeaderCodec();
  let received: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let decode: ((bytes: Buffer) => void) | undefined;
  const changed = (): void => {
    for (const check of [...waiting]) check();
  };
  socket.on('data', (bytes) => {
    if (decode === undefined) received = Buffer.concat([received, bytes]);
    else decode(bytes);
    changed();
  });
  socket.once('end', () => {
    hasEnded = true;
    if (decode !== undefined) steps.push({ '<eof': '' });
    socket.end();
    changed();
  });
  socket.on('error', () => undefined);
  const until: RawClient['until'] = (condition) =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!condition() && !hasEnded) return;
        waiting.delete(check);
        if (condition()) resolve();
        else reject(new Error(`the connection has ended after ${JSON.stringify(steps)}`));
      };
      waiting.add(check);
      check();
    });
  const headEnd = (): number => received.indexOf('\r\n\r\n');
  await until(() => headEnd() >= 0);
  const [status = '', ...headerLines] = received.toString('latin1', 0, headEnd()).split('\r\n');
  const rest = received.subarray(headEnd() + 4);
  const headers = new Map(headerLines.map((line) => line.split(/: ?/, 2) as [string, string]));
  const isSpdy = headers.get('Upgrade') === 'SPDY/3.1';
  if (status.includes(' 101 ')) {
    decode = isSpdy
      ? spdyDecoder(steps)
      : webSocketDecoder(steps, /base64/.test(headers.get('Sec-WebSocket-Protocol')!));
    if (rest.length > 0) decode(rest);
  } else {
    await until(() => hasEnded);
  }
  return {
    status,
    headers,
    body: () => received.toString('utf8', headEnd() + 4),
    steps,
    until,
    async send(frame) {
      socket.write(frame.f === undefined ? webSocketFrame(frame) : await spdyFrame(frame, codec));
    },
    [Symbol.dispose]() {
      socket.destroy();
      codec[Symbol.dispose]();
    },
  };
}

const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

function webSocketFrame({ op = 'binary', ch, code, data = '' }: RecordedFrame): Buffer {
  const channel = ch === undefined ? [] : [Number(ch)];
  const payload = Buffer.concat([
    ...(op === 'close' ? [Buffer.from([(code ?? 0) >> 8, (code ?? 0) & 0xff])] : [Buffer.from(channel)]),
    Buffer.from(data, 'latin1'),
  ]);
  // The mask is zero, which leaves the payload as it is.
  return Buffer.concat([Buffer.from([0x80 | OPCODES[op], 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function webSocketDecoder(steps: RecordedStep[], isBase64: boolean): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      if (rest.length < 2) return;
      const short = rest[1]! & 0x7f;
      const headBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (rest.length < headBytes) return;
      const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
      if (rest.length < headBytes + length) return;
      const payload = rest.subarray(headBytes, headBytes + length);
      const opcode = rest[0]! & 0xf;
      rest = rest.subarray(headBytes + length);
      const op = (Object.keys(OPCODES) as (keyof typeof OPCODES)[]).find((name) => OPCODES[name] === opcode)!;
      if (op === 'close') {
        const code = length === 0 ? 1005 : payload.readUInt16BE(0);
        steps.push({ '<': { op, code, reason: payload.toString('utf8', 2) } });
      } else if (op === 'ping' || op === 'pong') {
        steps.push({ '<': { op, data: payload.toString() } });
      } else {
        const ch = isBase64 ? payload.toString('latin1', 0, 1) : payload[0]!;
        steps.push({ '<': { op, ch, data: payload.toString('latin1', 1) } });
      }
    }
  };
}

async function spdyFrame(frame: RecordedFrame, codec: ReturnType<typeof createHeaderCodec>): Promise<Buffer> {
  const { f, id = 0, flags = 0, h = {}, data = '' } = frame;
  if (f === 'DATA') return dataFrame(id, Buffer.from(data, 'latin1'), flags === 1);
  if (f === 'PING') return controlFrame(FrameType.ping, id);
  const block = Buffer.concat([Buffer.alloc(6), await codec.encode(h)]);
  return controlFrame(FrameType.synStream, id, block, flags);
}

function spdyDecoder(steps: RecordedStep[]): (bytes: Buffer) => void {
  const reader = createFrameReader();
  return (bytes) => {
    for (const frame of reader.read(bytes)) steps.push({ '<': decodeSpdy(frame) });
  };
}

function decodeSpdy({ type, flags, streamId, data }: Frame): RecordedFrame {
  const fields = flags === 0 ? {} : { flags };
  if (type === undefined) return { f: 'DATA', id: streamId, data: data.toString('latin1'), ...fields };
  const id = data.readUInt32BE(0);
  if (type === FrameType.synReply) return { f: 'SYN_REPLY', id, h: {} };
  if (type === FrameType.rstStream) return { f: 'RST_STREAM', id, code: data.readUInt32BE(4) };
  if (type === FrameType.goAway) return { f: 'GOAWAY', last: id, code: data.readUInt32BE(4) };
  return { f: String(type), id };
}
