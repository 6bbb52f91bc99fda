import { type LogTimestamp, parseTimestamp, plainTimestampLength, ZERO_TIMESTAMP } from './log-timestamp.ts';

/** Output stream of a container. */
export type LogStream = 'stdout' | 'stderr';

/**
 * One line of a container's log file. The same object is reused for each line, and refers to positions rather than copies, so that a log is read without
 * copying its bytes.
 */
export interface LogLine {
  /** Name of the stream. Docker's format allows any. */
  stream: string;
  /** Timestamp, unless `plainLength` is set. */
  timestamp: LogTimestamp;
  /** When not 0, `bytes` has a timestamp of this length at `plainStart`, in the form of `plainTimestampLength`. */
  plainLength: number;
  plainStart: number;
  /**
   * Bytes whose range from `start` to before `end` is the content. The content ends in a newline, unless the line continues in the next entry of the
   * file.
   */
  bytes: Buffer;
  start: number;
  end: number;
}

/** Reads the line of a log file from `start` to before `end`, its newline included. @returns false when it is of another format. */
export type LogLineParser = (bytes: Buffer, start: number, end: number, line: LogLine) => boolean;

/** Creates an empty line for a parser to fill in. */
export function emptyLogLine(): LogLine {
  const bytes = Buffer.alloc(0);
  return { stream: '', timestamp: ZERO_TIMESTAMP, plainLength: 0, plainStart: 0, bytes, start: 0, end: 0 };
}

const SPACE = 0x20;
const COLON = 0x3a;
const NEWLINE = 0x0a;
const PARTIAL = 0x50;
/** As long as a timestamp with an offset and nanoseconds, and something over. */
const LONGEST_TIMESTAMP = 64;
/** Length of `stdout ` and `stderr `. */
const STREAM_LENGTH = 7;

/** Reads the format that every CRI runtime writes: time, stream, tags separated by colons, content, with one blank in between. */
export const parseCriLine: LogLineParser = (bytes, start, end, line) => {
  let plainLength = plainTimestampLength(bytes, start);
  let timeEnd = start + plainLength;
  if (plainLength === 0 || bytes[timeEnd] !== SPACE) {
    plainLength = 0;
    timeEnd = bytes.indexOf(SPACE, start);
    if (timeEnd < 0 || timeEnd >= end || timeEnd - start > LONGEST_TIMESTAMP) return false;
    const timestamp = parseTimestamp(bytes.toString('latin1', start, timeEnd));
    if (timestamp === undefined) return false;
    line.timestamp = timestamp;
  }
  const stream = streamAt(bytes, timeEnd + 1);
  if (stream === undefined) return false;
  const tags = timeEnd + 1 + STREAM_LENGTH;
  let tagsEnd = tags;
  while (tagsEnd < end && bytes[tagsEnd] !== SPACE) tagsEnd++;
  if (tagsEnd >= end) return false;
  // The first tag marks a partial line; further tags are reserved.
  const partial = bytes[tags] === PARTIAL && (tagsEnd === tags + 1 || bytes[tags + 1] === COLON);
  line.stream = stream;
  line.plainLength = plainLength;
  line.plainStart = start;
  line.bytes = bytes;
  line.start = tagsEnd + 1;
  line.end = partial && bytes[end - 1] === NEWLINE ? end - 1 : end;
  return true;
};

/** The stream whose name and a blank stand there. */
function streamAt(bytes: Uint8Array, at: number): LogStream | undefined {
  if (bytes[at] !== 0x73 || bytes[at + 1] !== 0x74 || bytes[at + 2] !== 0x64 || bytes[at + 6] !== SPACE)
    return undefined;
  if (bytes[at + 3] === 0x6f && bytes[at + 4] === 0x75 && bytes[at + 5] === 0x74) return 'stdout';
  if (bytes[at + 3] === 0x65 && bytes[at + 4] === 0x72 && bytes[at + 5] === 0x72) return 'stderr';
  return undefined;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads the format of Docker's json-file logging driver, for logs from before the node's runtime was changed. What Go's decoder takes is taken: fields in any
 * case of letters, and missing or null ones, which leave an empty stream and the zero time.
 */
export const parseDockerLine: LogLineParser = (bytes, start, end, line) => {
  let entry: unknown;
  try {
    entry = JSON.parse(decoder.decode(bytes.subarray(start, end)));
  } catch {
    return false;
  }
  if (typeof entry !== 'object' || Array.isArray(entry)) return false;
  const fields: Record<string, string> = { log: '', stream: '' };
  for (const [name, value] of Object.entries(entry ?? {})) {
    const field = name.toLowerCase();
    if ((field !== 'log' && field !== 'stream' && field !== 'time') || value === null) continue;
    if (typeof value !== 'string') return false;
    fields[field] = value;
  }
  const { log = '', stream = '', time } = fields;
  const timestamp = time === undefined ? ZERO_TIMESTAMP : parseTimestamp(time);
  if (timestamp === undefined) return false;
  line.stream = stream;
  line.timestamp = timestamp;
  line.plainLength = 0;
  line.bytes = Buffer.from(log);
  line.start = 0;
  line.end = line.bytes.length;
  return true;
};

/** Chooses the format of a log file by its first line; `undefined` when it is of none that is known. */
export function chooseLogFormat(bytes: Buffer, start: number, end: number): LogLineParser | undefined {
  const line = emptyLogLine();
  return [parseCriLine, parseDockerLine].find((parse) => parse(bytes, start, end, line));
}
