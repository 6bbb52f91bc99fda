import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { controlFrame, dataFrame, FLAG_FIN, FrameType, createFrameReader } from '../spdy/frames.ts';
import { createHeaderCodec, type SpdyHeaders } from '../spdy/header-codec.ts';

/** A stream of a {@link SpdyClient}. */
export interface ClientStream {
  write(text: string): void;
  /** Half-closes the stream. */
  end(): void;
  /** Resolves with everything that the server has sent, when it has half-closed or reset the stream. */
  readonly received: Promise<string>;
}

/** A client as the streaming clients of Kubernetes are. */
export interface SpdyClient extends Disposable {
  open(headers: SpdyHeaders): Promise<ClientStream>;
  /** Half-closes the connection. */
  end(): void;
  /** Resolves when the server has ended the connection. */
  readonly closed: Promise<void>;
}

/** Upgrades a connection to SPDY. Rejects with the status and the body of another answer. */
export async function connectSpdy(url: string, protocol: string): Promise<SpdyClient> {
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
  const outgoing = request(url, { method: 'POST', headers });
  outgoing.end();
  const socket = await new Promise<Duplex>((resolve, reject) => {
    outgoing.once('upgrade', (_response, upgraded, head) => {
      if (head.length > 0) upgraded.unshift(head);
      resolve(upgraded);
    });
    outgoing.once('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.once('end', () => reject(new Error(`${String(response.statusCode)} ${body.trim()}`)));
    });
    outgoing.once('error', reject);
  });
  return spdyClient(socket);
}

function spdyClient(socket: Duplex): SpdyClient {
  const codec = createHeaderCodec();
  const texts = new Map<number, { text: string; done: (text: string) => void }>();
  let nextId = 1;
  const finish = (id: number): void => {
    const stream = texts.get(id);
    texts.delete(id);
    stream?.done(stream.text);
  };
  const read = async (): Promise<void> => {
    const reader = createFrameReader();
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (const { type, streamId, flags, data } of reader.read(chunk)) {
        const stream = texts.get(streamId);
        if (type === FrameType.rstStream) finish(data.readUInt32BE(0));
        if (type === FrameType.synReply) await codec.decode(data.subarray(4));
        if (type !== undefined || stream === undefined) continue;
        stream.text += data.toString();
        if ((flags & FLAG_FIN) !== 0) finish(streamId);
      }
    }
  };
  const closed = read().catch(() => undefined);
  return {
    closed,
    end: () => void socket.end(),
    async open(headers) {
      const id = nextId;
      nextId += 2;
      const { promise, resolve } = Promise.withResolvers<string>();
      texts.set(id, { text: '', done: resolve });
      const block = Buffer.concat([Buffer.alloc(6), await codec.encode(headers)]);
      socket.write(controlFrame(FrameType.synStream, id, block));
      return {
        write: (text) => void socket.write(dataFrame(id, Buffer.from(text), false)),
        end: () => void socket.write(dataFrame(id, Buffer.alloc(0), true)),
        received: promise,
      };
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
