import { type Instant, isBefore, parseInstant, withNanoseconds } from './log-timestamp.ts';
import type { LogLine, LogStream } from './parse-log-line.ts';

/** What of a log is wanted, and in which form; the fields of PodLogOptions that concern single lines. */
export interface LogSelectionOptions {
  /** Only lines at or after this time, in epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  /** Puts the time before each line. */
  readonly timestamps?: boolean | undefined;
  /** Ends after this many bytes, even within a line. */
  readonly limitBytes?: number | undefined;
  /** Only what was written to these. Default: both. */
  readonly streams?: readonly LogStream[] | undefined;
}

/** Turns lines of a log into what its reader gets to see. */
export interface LogSelection {
  /** What is to be shown of a line; empty when nothing is. */
  select(line: LogLine): Uint8Array;
  /** Whether the limit is reached and nothing more will be shown. */
  readonly exhausted: boolean;
}

const NEWLINE = 0x0a;
const nothing = new Uint8Array();

/** Creates the selection for one reader. */
export function createLogSelection(options: LogSelectionOptions): LogSelection {
  const { sinceMs, timestamps = false, limitBytes = Infinity, streams = ['stdout', 'stderr'] } = options;
  const since = sinceMs === undefined ? undefined : instantOfMs(sinceMs);
  let remaining = limitBytes;
  /** Whether what comes next begins a line: it does not after an entry that was too long for one. */
  let atLineStart = true;

  const shown = (line: LogLine, startsLine: boolean): Uint8Array => {
    if (since !== undefined && isBefore(parseInstant(line.timestamp), since)) return nothing;
    if (!streams.includes(line.stream)) return nothing;
    const bytes =
      timestamps && startsLine ? withPrefix(`${withNanoseconds(line.timestamp)} `, line.content) : line.content;
    return bytes.length > remaining ? bytes.subarray(0, remaining) : bytes;
  };
  return {
    select(line) {
      const bytes = shown(line, atLineStart);
      atLineStart = line.content.length === 0 || line.content.at(-1) === NEWLINE;
      remaining -= bytes.length;
      return bytes;
    },
    get exhausted() {
      return remaining <= 0;
    },
  };
}

function withPrefix(prefix: string, content: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(prefix.length + content.length);
  bytes.write(prefix, 'latin1');
  bytes.set(content, prefix.length);
  return bytes;
}

function instantOfMs(ms: number): Instant {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1_000_000) };
}
