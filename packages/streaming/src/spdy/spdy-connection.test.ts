import { type Duplex, duplexPair } from 'node:stream';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { controlFrame, dataFrame, FrameType } from './frames.ts';
import { createHeaderCodec } from './header-codec.ts';
import { createSpdyConnection } from './spdy-connection.ts';

describe('a SPDY connection', () => {
  it('drops data that its peer sends after the end of a stream', async () => {
    const [peer, socket] = duplexPair();
    peer.resume();
    const streams: Duplex[] = [];
    createSpdyConnection(socket, {
      clock: createVirtualClock(),
      onStream: ({ duplex }) => {
        streams.push(duplex);
        return () => undefined;
      },
    });
    using codec = createHeaderCodec();
    const block = Buffer.concat([Buffer.alloc(6), await codec.encode({ streamtype: 'resize' })]);
    const data = [dataFrame(1, Buffer.from('a'), true), dataFrame(1, Buffer.from('b'), false)];
    // All in one read, before the reader of the stream has seen its end.
    peer.write(Buffer.concat([controlFrame(FrameType.synStream, 1, block), ...data]));
    await expect.poll(() => streams.length, { interval: 1 }).toBe(1);
    expect(await readText(streams[0]!)).toBe('a');
    socket.destroy();
  });

  it('ends when its peer sends pings and reads none of the answers', async () => {
    const [peer, socket] = duplexPair();
    const { signal } = createSpdyConnection(socket, { clock: createVirtualClock() });
    peer.write(Buffer.concat(Array.from({ length: 30_000 }, () => controlFrame(FrameType.ping, 1))));
    await expect.poll(() => signal.aborted, { interval: 1 }).toBe(true);
  });

  it('ignores what its peer sends after this side has closed', async () => {
    const [peer, socket] = duplexPair();
    const connection = createSpdyConnection(socket, { clock: createVirtualClock() });
    peer.resume();
    connection.close();
    const malformed = [FrameType.ping, FrameType.rstStream].map((type) => {
      const frame = controlFrame(type, 0).subarray(0, 8);
      frame.writeUIntBE(0, 5, 3);
      return frame;
    });
    const garbage = [FrameType.synStream, FrameType.headers].map((type) => controlFrame(type, 1, Buffer.alloc(100, 1)));
    peer.end(Buffer.concat([...malformed, ...garbage]));
    await expect.poll(() => connection.signal.aborted, { interval: 1 }).toBe(true);
  });

  it('answers any number of pings of a peer that reads', async () => {
    const [peer, socket] = duplexPair();
    const { signal } = createSpdyConnection(socket, { clock: createVirtualClock() });
    const ping = controlFrame(FrameType.ping, 1);
    let answerBytes = 0;
    peer.on('data', (chunk: Buffer) => (answerBytes += chunk.length));
    for (let count = 0; count < 30; count += 1) {
      peer.write(Buffer.concat(Array.from({ length: 1000 }, () => ping)));
      await expect.poll(() => answerBytes, { interval: 1 }).toBe((count + 1) * 1000 * ping.length);
    }
    expect(signal.aborted).toBe(false);
    socket.destroy();
  });
});

async function readText(stream: Duplex): Promise<string> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}
