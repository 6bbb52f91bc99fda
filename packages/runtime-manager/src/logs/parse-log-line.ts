/** Where a container wrote something to. */
export type LogStream = 'stdout' | 'stderr';

/** One line of a container's log file. */
export interface LogLine {
  /** RFC 3339 with up to nanoseconds, as it stands in the file. */
  readonly timestamp: string;
  readonly stream: LogStream;
  /** What the container wrote. Ends in a newline, unless the line was too long for one entry of the file and goes on in the next. */
  readonly content: Uint8Array;
}

/** Reads one line of a log file, its newline included; `undefined` when it is not of that format. */
export type LogLineParser = (line: Uint8Array) => LogLine | undefined;

const SPACE = 0x20;
const COLON = 0x3a;
const NEWLINE = 0x0a;
const PARTIAL = 0x50;
/** As long as a timestamp with an offset and nanoseconds, and something over. */
const LONGEST_WORD = 64;

/** Reads the format that every CRI runtime writes: time, stream, tags separated by colons, content, with one blank in between. */
export const parseCriLine: LogLineParser = (line) => {
  const timeEnd = line.indexOf(SPACE);
  const streamEnd = timeEnd < 0 ? -1 : line.indexOf(SPACE, timeEnd + 1);
  const tagsEnd = streamEnd < 0 ? -1 : line.indexOf(SPACE, streamEnd + 1);
  if (tagsEnd < 0 || timeEnd > LONGEST_WORD || streamEnd - timeEnd > LONGEST_WORD) return undefined;
  const timestamp = ascii(line, 0, timeEnd);
  const stream = ascii(line, timeEnd + 1, streamEnd);
  if (!isTimestamp(timestamp) || !isStream(stream)) return undefined;
  // The first tag tells whether the line is whole; the others are for later inventions.
  const firstTagIsOneLetter = streamEnd + 2 === tagsEnd || line[streamEnd + 2] === COLON;
  const partial = line[streamEnd + 1] === PARTIAL && firstTagIsOneLetter;
  const end = partial && line[line.length - 1] === NEWLINE ? line.length - 1 : line.length;
  return { timestamp, stream, content: line.subarray(tagsEnd + 1, end) };
};

/** Reads the format of Docker's json-file logging driver, for logs from before the node's runtime was changed. */
export const parseDockerLine: LogLineParser = (line) => {
  let entry: unknown;
  try {
    entry = JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { log = '', stream = '', time = '' } = entry as Record<string, unknown>;
  if (typeof log !== 'string' || typeof stream !== 'string' || typeof time !== 'string') return undefined;
  if (!isTimestamp(time) || !isStream(stream)) return undefined;
  return { timestamp: time, stream, content: new TextEncoder().encode(log) };
};

/** Chooses the format of a log file by its first line; `undefined` when it is of none that is known. */
export function chooseLogFormat(line: Uint8Array): LogLineParser | undefined {
  return [parseCriLine, parseDockerLine].find((parse) => parse(line) !== undefined);
}

const timestampPattern =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function isTimestamp(text: string): boolean {
  return timestampPattern.test(text);
}

function isStream(text: string): text is LogStream {
  return text === 'stdout' || text === 'stderr';
}

/** A few bytes as text, each one a character. */
function ascii(bytes: Uint8Array, start: number, end: number): string {
  return bytes instanceof Buffer
    ? bytes.toString('latin1', start, end)
    : String.fromCharCode(...bytes.subarray(start, end));
}
