import { LogReadError } from './log-read-error.ts';
import { createLogSelection, type LogSelectionOptions } from './log-selection.ts';
import { chooseLogFormat, type LogLineParser, type LogStream } from './parse-log-line.ts';

/** A piece of a log; pieces of the two streams come in the order in which they were written. */
export interface LogChunk {
  readonly stream: LogStream;
  readonly bytes: Uint8Array;
}

/** Runtimes split lines at 16 KiB. What is longer than this is no log line, and must not fill the memory. */
const MAX_LINE = 1024 * 1024;
const NEWLINE = 0x0a;
const nothing = new Uint8Array();

/** Turns the bytes of a log file into what its reader gets to see. */
export interface LogLineReader {
  /** Takes bytes of the file; gives what is to be shown of the lines that they complete. */
  feed(block: Uint8Array): Generator<LogChunk>;
  /** Takes what is left as a line, though its newline is missing. */
  finish(): Generator<LogChunk>;
  /** Forgets a line that was begun. */
  reset(): void;
  /** Whether all that is wanted was given. */
  readonly done: boolean;
}

/**
 * Creates the reader of one log. The format is that of the first line; later lines that are not of it are left out.
 * @param path names the log in errors
 */
export function createLogLineReader(
  path: string,
  { maxLines = Infinity, ...options }: LogSelectionOptions & { readonly maxLines?: number | undefined },
): LogLineReader {
  const selection = createLogSelection(options);
  let parse: LogLineParser | undefined;
  let begun: Uint8Array = nothing;
  let oversized = false;
  let linesLeft = maxLines;

  const isDone = (): boolean => linesLeft <= 0 || selection.exhausted;
  const take = (line: Uint8Array, chunks: ChunkList): void => {
    parse ??= chooseLogFormat(line);
    if (parse === undefined) throw new LogReadError('UnsupportedFormat', `the log file ${path} is of no known format`);
    const parsed = parse(line);
    if (parsed === undefined) return;
    chunks.add(parsed.stream, selection.select(parsed));
    linesLeft--;
  };
  return {
    *feed(block) {
      const chunks = createChunkList();
      let start = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0 && !isDone(); end = block.indexOf(NEWLINE, start)) {
        const rest = block.subarray(start, end + 1);
        const line = begun.length === 0 ? rest : joined(begun, rest);
        begun = nothing;
        start = end + 1;
        if (!oversized) take(line, chunks);
        oversized = false;
      }
      begun = joined(begun, block.slice(start));
      if (begun.length > MAX_LINE) {
        oversized = true;
        begun = nothing;
      }
      yield* chunks.all();
    },
    *finish() {
      const chunks = createChunkList();
      if (begun.length > 0 && !oversized && !isDone()) take(begun, chunks);
      this.reset();
      yield* chunks.all();
    },
    reset() {
      begun = nothing;
      oversized = false;
    },
    get done() {
      return isDone();
    },
  };
}

interface ChunkList {
  add(stream: LogStream, bytes: Uint8Array): void;
  all(): Generator<LogChunk>;
}

/** Joins neighbouring pieces of one stream, so that a reader gets few large chunks rather than one a line. */
function createChunkList(): ChunkList {
  const runs: { stream: LogStream; pieces: Uint8Array[] }[] = [];
  return {
    add(stream, bytes) {
      if (bytes.length === 0) return;
      const last = runs.at(-1);
      if (last?.stream === stream) last.pieces.push(bytes);
      else runs.push({ stream, pieces: [bytes] });
    },
    *all() {
      for (const { stream, pieces } of runs) yield { stream, bytes: joined(...pieces) };
    },
  };
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const filled = pieces.filter(({ length }) => length > 0);
  return filled.length === 1 ? filled[0]! : Buffer.concat(filled);
}
