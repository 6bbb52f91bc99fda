/** Types of control frames. */
export const FrameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Flag of the last frame of a stream. */
export const FLAG_FIN = 1;

/** A control frame, or a part of a data frame; `type` is `undefined` for data. */
export interface Frame {
  readonly type: number | undefined;
  /** Flags; a data frame has them in its last part. */
  readonly flags: number;
  /** Stream of a data frame; 0 for control frames, which have it in their data. */
  readonly streamId: number;
  readonly data: Buffer;
}

const VERSION = 3;
const HEADER_BYTES = 8;
const CONTROL = 0x8000;
const STREAM_ID = 0x7fffffff;
/** Largest control frame that clients send. */
const MAX_CONTROL_BYTES = 1024 * 1024;

/** A data frame whose end has not been received. */
interface OpenData {
  readonly streamId: number;
  readonly flags: number;
  leftBytes: number;
}

/** Splits received bytes into frames. */
export interface FrameReader {
  /** Returns the frames that `bytes` complete, and the parts of data frames in them. Throws for control frames that are too large or of another version. */
  read(bytes: Buffer): readonly Frame[];
}

/** Creates a {@link FrameReader}. Data is passed on as it comes, so that it keeps one control frame at most. */
export function createFrameReader(): FrameReader {
  let rest: Buffer = Buffer.alloc(0);
  let open: OpenData | undefined;
  return {
    read(bytes) {
      const frames: Frame[] = [];
      let input = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (;;) {
        if (open === undefined) {
          if (input.length < HEADER_BYTES) break;
          const first = input.readUInt16BE(0);
          const flags = input[4]!;
          const length = input.readUIntBE(5, 3);
          if ((first & CONTROL) !== 0) {
            if ((first & ~CONTROL) !== VERSION) throw new Error('a SPDY frame has another version than 3');
            if (length > MAX_CONTROL_BYTES) throw new Error(`a SPDY control frame has ${String(length)} bytes`);
            const end = HEADER_BYTES + length;
            if (input.length < end) break;
            const data = input.subarray(HEADER_BYTES, end);
            frames.push({ type: input.readUInt16BE(2), flags, streamId: 0, data });
            input = input.subarray(end);
            continue;
          }
          open = { streamId: input.readUInt32BE(0) & STREAM_ID, flags, leftBytes: length };
          input = input.subarray(HEADER_BYTES);
        }
        const data = input.subarray(0, open.leftBytes);
        input = input.subarray(data.length);
        open.leftBytes -= data.length;
        const isComplete = open.leftBytes === 0;
        if (isComplete || data.length > 0) {
          frames.push({ type: undefined, flags: isComplete ? open.flags : 0, streamId: open.streamId, data });
        }
        if (!isComplete) break;
        open = undefined;
      }
      rest = input;
      return frames;
    },
  };
}

/** Returns a data frame. */
export function dataFrame(streamId: number, data: Uint8Array, isLast: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(streamId, 0);
  header[4] = isLast ? FLAG_FIN : 0;
  header.writeUIntBE(data.length, 5, 3);
  return Buffer.concat([header, data]);
}

/** Returns a control frame of a number and, for some types, more data. */
export function controlFrame(type: number, number: number, more: Uint8Array = Buffer.alloc(0), flags = 0): Buffer {
  const header = Buffer.alloc(HEADER_BYTES + 4);
  header.writeUInt16BE(CONTROL | VERSION, 0);
  header.writeUInt16BE(type, 2);
  header[4] = flags;
  header.writeUIntBE(more.length + 4, 5, 3);
  header.writeUInt32BE(number, HEADER_BYTES);
  return Buffer.concat([header, more]);
}

/** Returns the four bytes of a number. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
