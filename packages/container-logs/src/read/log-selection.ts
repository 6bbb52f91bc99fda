import { LogReadError } from './log-read-error.ts';
import {
  isBefore,
  isPlainBefore,
  type LogTimestamp,
  parseTimestamp,
  plainOffsetMinutes,
  timestampOfMs,
  writePlainTimestamp,
} from './log-timestamp.ts';
import type { LogOutput } from './log-output.ts';
import type { LogLine, LogStream } from './parse-log-line.ts';

/** Selection and form of the lines of a log: the fields of PodLogOptions that concern single lines. */
export interface LogSelectionOptions {
  /** Only lines at or after this time, in epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  /** Only lines at or after this time, RFC 3339 with up to nanoseconds. With `sinceMs` too, the later of the two counts. */
  readonly sinceTime?: string | undefined;
  /** Puts the time before each line. */
  readonly timestamps?: boolean | undefined;
  /** Ends after this many bytes, even within a line; negative: no limit. */
  readonly limitBytes?: number | undefined;
  /** Streams whose lines are selected. Default: both. */
  readonly streams?: readonly LogStream[] | undefined;
}

/** Turns lines of a log into the output for its reader. */
export interface LogSelection {
  /**
   * Writes the selected part of a line.
   * @throws LogReadError for a line of an unknown stream
   */
  write(line: LogLine, output: LogOutput): void;
  /** Whether the limit of bytes is reached, so that no more output follows. */
  readonly exhausted: boolean;
}

const NEWLINE = 0x0a;
/** Longest timestamp of the output, with the blank after it. */
const LONGEST_PREFIX = '2006-01-02T15:04:05.123456789+25:00 '.length;

/**
 * Creates the selection for one reader.
 * @throws LogReadError when `sinceTime` is not a time
 */
export function createLogSelection(options: LogSelectionOptions): LogSelection {
  const { timestamps = false, limitBytes = Infinity, streams = ['stdout', 'stderr'] } = options;
  const since = sinceOf(options);
  let sinceOffset = Infinity;
  let sinceText: Buffer | undefined;
  const shown = new Set<string>(streams);
  const showsStdout = shown.has('stdout');
  const showsStderr = shown.has('stderr');
  let remaining = limitBytes < 0 ? Infinity : limitBytes;
  let exhausted = false;
  /** Whether the next entry begins a line. It does not after a partial entry. */
  let atLineStart = true;

  /** Reports whether a line is older than the selected ones. Times in the plain form are compared as text, with `since` in their zone. */
  const isTooOld = (line: LogLine): boolean => {
    if (since === undefined) return false;
    if (line.plainLength === 0) return isBefore(line.timestamp, since);
    const offset = plainOffsetMinutes(line.bytes, line.plainStart, line.plainLength);
    if (offset !== sinceOffset) {
      sinceOffset = offset;
      sinceText = textInZone(since, offset);
    }
    if (sinceText !== undefined) return isPlainBefore(line.bytes, line.plainStart, line.plainLength, sinceText);
    const text = line.bytes.toString('latin1', line.plainStart, line.plainStart + line.plainLength);
    return isBefore(parseTimestamp(text)!, since);
  };
  const writePrefix = (line: LogLine, stream: LogStream, output: LogOutput): void => {
    const target = output.room(stream, LONGEST_PREFIX);
    let end =
      line.plainLength > 0
        ? writePlainTimestamp(line.bytes, line.plainStart, line.plainLength, target, output.used)
        : output.used + target.write(line.timestamp.text, output.used, 'latin1');
    target[end++] = 0x20;
    const length = Math.min(end - output.used, remaining);
    output.used += length;
    remaining -= length;
  };
  const show = (line: LogLine, stream: LogStream, output: LogOutput): void => {
    if (timestamps && atLineStart) writePrefix(line, stream, output);
    const length = Math.min(line.end - line.start, remaining);
    output.append(stream, line.bytes, line.start, line.start + length);
    remaining -= length;
    exhausted = remaining <= 0;
  };
  return {
    write(line, output) {
      if (!isTooOld(line)) {
        if (line.stream === 'stdout') {
          if (showsStdout) show(line, 'stdout', output);
        } else if (line.stream === 'stderr') {
          if (showsStderr) show(line, 'stderr', output);
        } else
          throw new LogReadError(
            'UnexpectedStream',
            `unexpected stream type ${JSON.stringify(line.stream.slice(0, 80))}`,
          );
      }
      atLineStart = line.end === line.start || line.bytes[line.end - 1] === NEWLINE;
    },
    get exhausted() {
      return exhausted;
    },
  };
}

function sinceOf({ sinceMs, sinceTime }: LogSelectionOptions): LogTimestamp | undefined {
  const ofMs = sinceMs === undefined ? undefined : timestampOfMs(sinceMs);
  if (sinceTime === undefined) return ofMs;
  const given = parseTimestamp(sinceTime);
  if (given === undefined) {
    throw new LogReadError(
      'InvalidSinceTime',
      `sinceTime ${JSON.stringify(sinceTime.slice(0, 80))} is not an RFC 3339 time`,
    );
  }
  return ofMs !== undefined && isBefore(given, ofMs) ? ofMs : given;
}

/** A time as it is written in a zone; `undefined` when its year does not have four digits there. */
function textInZone({ seconds, nanos }: LogTimestamp, offsetMinutes: number): Buffer | undefined {
  const { text } = timestampOfMs((seconds + offsetMinutes * 60) * 1000);
  if (!/^\d{4}-/.test(text)) return undefined;
  return Buffer.from(text.replace(/\.\d{9}/, `.${String(nanos).padStart(9, '0')}`));
}
