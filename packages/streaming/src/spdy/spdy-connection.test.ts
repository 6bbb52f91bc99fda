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
});

async function readText(stream: Duplex): Promise<string> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}
