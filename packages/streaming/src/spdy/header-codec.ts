import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { SPDY_DICTIONARY } from './dictionary.ts';
import { uint32 } from './frames.ts';

/** Names and values of a SPDY stream. Names are in lower case. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/** Largest block of headers, decompressed. */
const MAX_BLOCK_BYTES = 64 * 1024;
const MAX_PAIRS = 100;

/**
 * Compresses and decompresses the headers of one connection, whose blocks depend on those before. Calls of `decode` must not overlap; those of `encode` are queued.
 * Disposal rejects all calls, also later ones.
 */
export interface HeaderCodec extends Disposable {
  encode(headers: SpdyHeaders): Promise<Buffer>;
  decode(block: Buffer): Promise<SpdyHeaders>;
}

/** Creates a {@link HeaderCodec}. */
export function createHeaderCodec(): HeaderCodec {
  const deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  const inflate = createInflate({ dictionary: SPDY_DICTIONARY });
  let encoded: Promise<unknown> = Promise.resolve();
  return {
    encode(headers) {
      const block = encoded.then(() => pass(deflate, formatPairs(headers)));
      encoded = block.catch(() => undefined);
      return block;
    },
    decode: async (block) => parsePairs(await pass(inflate, block)),
    [Symbol.dispose]: () => {
      deflate.close();
      inflate.close();
    },
  };
}

/** Passes a block through a compressor up to its last byte. */
function pass(stream: Deflate | Inflate, input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    // A closed stream calls nothing back.
    const onClose = (): void => settle(new Error('the connection has ended'));
    const settle = (error?: Error): void => {
      stream.off('data', onData);
      stream.off('error', settle);
      stream.off('close', onClose);
      if (error === undefined) resolve(Buffer.concat(chunks));
      else reject(error);
    };
    const onData = (chunk: Buffer): void => {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BLOCK_BYTES) stream.destroy(new Error('a block of SPDY headers is too large'));
      else chunks.push(chunk);
    };
    if (stream.destroyed) {
      onClose();
      return;
    }
    stream.on('data', onData);
    stream.once('error', settle);
    stream.once('close', onClose);
    stream.write(input, () => stream.flush(constants.Z_SYNC_FLUSH, () => settle()));
  });
}

function formatPairs(headers: SpdyHeaders): Buffer {
  const pairs = Object.entries(headers);
  return Buffer.concat([uint32(pairs.length), ...pairs.flat().flatMap(field)]);
}

function field(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return [uint32(bytes.length), bytes];
}

function parsePairs(block: Buffer): SpdyHeaders {
  let offset = 0;
  const number = (): number => {
    offset += 4;
    return block.readUInt32BE(offset - 4);
  };
  const text = (): string => {
    const length = number();
    offset += length;
    if (offset > block.length) throw new Error('a block of SPDY headers is cut short');
    return block.toString('utf8', offset - length, offset);
  };
  const count = number();
  if (count > MAX_PAIRS) throw new Error('a block of SPDY headers has too many pairs');
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let index = 0; index < count; index += 1) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  return headers;
}
