import { createLogOutput, type LogChunk, type LogOutput } from './log-output.ts';
import { LogReadError } from './log-read-error.ts';
import { createLogSelection, type LogSelectionOptions } from './log-selection.ts';
import { chooseLogFormat, emptyLogLine, type LogLineParser } from './parse-log-line.ts';

/** Runtimes split lines at 16 KiB. What is longer than this is left out: it must not fill the memory. */
const MAX_LINE = 1024 * 1024;
const NEWLINE = 0x0a;
/** Room for what is shown of a block beyond its size; lines can get a little longer when their times are written in full. */
const SLACK = 4096;
const nothing = Buffer.alloc(0);

interface Part {
  readonly bytes: Buffer;
  readonly end: number;
}

/** Turns the bytes of a log file into what its reader gets to see. */
export interface LogLineReader {
  /** Takes bytes of the file; gives what is to be shown of the lines that they complete. */
  feed(block: Uint8Array): LogChunk[];
  /** Takes what is left as a line, though its newline is missing. */
  finish(): LogChunk[];
  /** Forgets a line that was begun. */
  reset(): void;
  /** Whether all that is wanted was given. */
  readonly done: boolean;
  /** What went wrong in the last call: the reading ends with it, after what that call gave. */
  readonly error: LogReadError | undefined;
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
  const line = emptyLogLine();
  let parse: LogLineParser | undefined;
  let begun: Buffer = nothing;
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
  /** Shows the lines in the first `end` bytes of each part, the last of which may lack its newline. */
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
  return {
    feed(given) {
      const block = asBuffer(given);
      const parts: Part[] = [];
      const firstEnd = block.indexOf(NEWLINE) + 1;
      const lastEnd = block.lastIndexOf(NEWLINE) + 1;
      let rest = block;
      if (firstEnd > 0) {
        // The end of a line that was begun, and the whole lines after it.
        const first = begun.length === 0 ? nothing : Buffer.concat([begun, block.subarray(0, firstEnd)]);
        if (!oversized) parts.push({ bytes: first, end: first.length });
        const whole = begun.length === 0 && !oversized ? block : block.subarray(firstEnd);
        parts.push({ bytes: whole, end: whole.length - (block.length - lastEnd) });
        rest = block.subarray(lastEnd);
        begun = nothing;
        oversized = false;
      }
      if (rest.length > 0 && !oversized) begun = begun.length === 0 ? Buffer.from(rest) : Buffer.concat([begun, rest]);
      if (begun.length > MAX_LINE) {
        oversized = true;
        begun = nothing;
      }
      return show(parts);
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
