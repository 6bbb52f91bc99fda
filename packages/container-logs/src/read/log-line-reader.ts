import { createLogOutput, type LogChunk, type LogOutput } from './log-output.ts';
import { LogReadError } from './log-read-error.ts';
import { createLogSelection, type LogSelectionOptions } from './log-selection.ts';
import { chooseLogFormat, emptyLogLine, type LogLineParser, parseCriLine } from './parse-log-line.ts';

/** Bytes of an incomplete line that are kept in memory. Runtimes split lines at 16 KiB; a longer line is delivered in pieces. */
const MAX_LINE = 1024 * 1024;
const NEWLINE = 0x0a;
/** Room for the output of a block beyond the block's size; timestamps written in full make lines a little longer. */
const SLACK = 4096;
const nothing = Buffer.alloc(0);

interface Part {
  readonly bytes: Buffer;
  readonly end: number;
}

/** Turns the bytes of a log file into the selected parts of its lines. */
export interface LogLineReader {
  /** Takes the next bytes of the file; returns the output of the lines that they complete, and pieces of a line of more than 1 MiB. */
  feed(block: Uint8Array): LogChunk[];
  /** Returns the output of the last line, which lacks its newline. */
  finish(): LogChunk[];
  /** Discards an incomplete line. */
  reset(): void;
  /** Whether everything that was selected has been returned. */
  readonly done: boolean;
  /** Failure of the last call. It ends the reading; the chunks that the call returned come before it. */
  readonly error: LogReadError | undefined;
}

/**
 * Creates the reader of one log. The format is that of the first line; later lines of another format are left out. So are lines of more than 1 MiB that are
 * not of the CRI format, because their parts mean nothing by themselves.
 *
 * @param path names the log in errors
 */
export function createLogLineReader(
  path: string,
  { maxLines = Infinity, ...options }: LogSelectionOptions & { readonly maxLines?: number | undefined },
): LogLineReader {
  const selection = createLogSelection(options);
  const line = emptyLogLine();
  let parse: LogLineParser | undefined;
  /** The incomplete line. After a piece of it was delivered: its time, stream and tags, and the rest of its content. */
  let begun: Buffer = nothing;
  /** Whether the incomplete line is left out. */
  let oversized = false;
  let linesLeft = maxLines;
  let error: LogReadError | undefined;

  const isDone = (): boolean => linesLeft <= 0 || selection.exhausted || error !== undefined;
  const take = (bytes: Buffer, start: number, end: number, output: LogOutput): void => {
    parse ??= chooseLogFormat(bytes, start, end);
    if (parse === undefined) throw new LogReadError('UnsupportedFormat', `the log file ${path} is of no known format`);
    if (!parse(bytes, start, end, line)) return;
    selection.write(line, output);
    linesLeft--;
  };
  /** Returns the output of the lines in the first `end` bytes of each part, the last of which may lack its newline. */
  const show = (parts: readonly Part[]): LogChunk[] => {
    const output = createLogOutput(parts.reduce((sum, { end }) => sum + end, SLACK));
    try {
      for (const { bytes, end } of parts) {
        for (let start = 0; start < end && !isDone();) {
          const newline = bytes.indexOf(NEWLINE, start);
          const lineEnd = newline < 0 || newline >= end ? end : newline + 1;
          take(bytes, start, lineEnd, output);
          start = lineEnd;
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof LogReadError)) throw thrown;
      error = thrown;
    }
    return output.take();
  };
  /** Returns the output of the incomplete line so far. Its last byte stays, because a last piece without content would count as the end of the line. */
  const showPiece = (): LogChunk[] => {
    parse ??= chooseLogFormat(begun, 0, begun.length);
    if (parse !== parseCriLine || !parse(begun, 0, begun.length, line) || line.start >= begun.length - 1) {
      oversized = true;
      begun = nothing;
      return [];
    }
    const output = createLogOutput(begun.length + SLACK);
    line.end = begun.length - 1;
    selection.write(line, output);
    begun = Buffer.concat([begun.subarray(0, line.start), begun.subarray(-1)]);
    return output.take();
  };
  return {
    feed(given) {
      const block = asBuffer(given);
      const parts: Part[] = [];
      const firstEnd = block.indexOf(NEWLINE) + 1;
      const lastEnd = block.lastIndexOf(NEWLINE) + 1;
      let rest = block;
      if (firstEnd > 0) {
        // The end of the incomplete line, and the whole lines after it.
        const first = begun.length === 0 ? nothing : Buffer.concat([begun, block.subarray(0, firstEnd)]);
        if (!oversized) parts.push({ bytes: first, end: first.length });
        const whole = begun.length === 0 && !oversized ? block : block.subarray(firstEnd);
        parts.push({ bytes: whole, end: whole.length - (block.length - lastEnd) });
        rest = block.subarray(lastEnd);
        begun = nothing;
        oversized = false;
      }
      if (rest.length > 0 && !oversized) begun = begun.length === 0 ? Buffer.from(rest) : Buffer.concat([begun, rest]);
      const chunks = show(parts);
      return begun.length > MAX_LINE && !isDone() ? [...chunks, ...showPiece()] : chunks;
    },
    finish() {
      const last = begun;
      this.reset();
      return show([{ bytes: last, end: last.length }]);
    },
    reset() {
      begun = nothing;
      oversized = false;
    },
    get done() {
      return isDone();
    },
    get error() {
      return error;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
