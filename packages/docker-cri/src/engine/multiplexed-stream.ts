import type { Readable } from 'node:stream';

/** Output of a container. */
export type OutputStream = 'stdout' | 'stderr';

/** A frame of Docker's multiplexed stream. */
export interface OutputFrame {
  readonly stream: OutputStream;
  readonly data: Buffer;
}

const HEADER_BYTES = 8;
const STDERR = 2;
/** Docker's frames have at most a few dozen KiB. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * Splits Docker's multiplexed stream into frames: 4 bytes with the stream's number, 4 with the length, big endian, then the data. Yields the frames that arrive
 * together as one list.
 */
export async function* readFrames(source: Readable): AsyncGenerator<readonly OutputFrame[], void, undefined> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const frames: OutputFrame[] = [];
    let offset = 0;
    while (pending.length - offset >= HEADER_BYTES) {
      const length = pending.readUInt32BE(offset + 4);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of Docker's stream has ${String(length)} bytes`);
      const end = offset + HEADER_BYTES + length;
      if (pending.length < end) break;
      const stream = pending[offset] === STDERR ? 'stderr' : 'stdout';
      frames.push({ stream, data: pending.subarray(offset + HEADER_BYTES, end) });
      offset = end;
    }
    pending = pending.subarray(offset);
    if (frames.length > 0) yield frames;
  }
}
