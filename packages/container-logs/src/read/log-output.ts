import type { LogStream } from './parse-log-line.ts';

/** A piece of a log; pieces of the two streams come in the order in which they were written. */
export interface LogChunk {
  readonly stream: LogStream;
  readonly bytes: Uint8Array;
}

/** Collects the output of many lines in few large pieces. */
export interface LogOutput {
  /** Reserves bytes for a stream, from {@link LogOutput.used} on, and returns their buffer. The caller writes there and then advances `used`. */
  room(stream: LogStream, length: number): Buffer;
  /** Position of the next byte in the buffer of {@link LogOutput.room}. */
  used: number;
  /** Adds the bytes from `start` to before `end`. */
  append(stream: LogStream, bytes: Buffer, start: number, end: number): void;
  /** Returns the collected chunks, whose memory is not written to any more. */
  take(): LogChunk[];
}

/** Shorter pieces are copied faster byte by byte than by a call. */
const SHORT = 64;

/** Creates a {@link LogOutput} for about `capacity` bytes; it grows when needed. */
export function createLogOutput(capacity: number): LogOutput {
  let buffer: Buffer = Buffer.allocUnsafe(capacity);
  let begin = 0;
  let current: LogStream = 'stdout';
  let chunks: LogChunk[] = [];
  const close = (): void => {
    if (output.used > begin) chunks.push({ stream: current, bytes: buffer.subarray(begin, output.used) });
    begin = output.used;
  };
  const output: LogOutput = {
    used: 0,
    room(stream, length) {
      if (stream !== current) {
        close();
        current = stream;
      }
      if (output.used + length > buffer.length) {
        close();
        buffer = Buffer.allocUnsafe(Math.max(capacity, length));
        begin = 0;
        output.used = 0;
      }
      return buffer;
    },
    append(stream, bytes, start, end) {
      const length = end - start;
      const target = output.room(stream, length);
      let { used } = output;
      if (length < SHORT) for (let index = start; index < end; index++) target[used++] = bytes[index]!;
      else bytes.copy(target, used, start, end);
      output.used += length;
    },
    take() {
      close();
      const taken = chunks;
      chunks = [];
      return taken;
    },
  };
  return output;
}
