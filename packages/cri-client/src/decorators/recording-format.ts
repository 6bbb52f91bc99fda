import type { JsonObject } from '@bufbuild/protobuf';

/** Version of written recordings, and the only one that is read. */
export const RECORDING_VERSION = 1;

/** The first line. */
export interface RecordingHeader {
  readonly format: 'rxlet-cri-recording';
  readonly version: number;
  /** Time of the recording's start, which is the origin of all others. */
  readonly startedAt: string;
}

/** Error of a call. */
export interface RecordedError {
  /** gRPC status code, where the error had one. */
  readonly code?: number;
  readonly message: string;
}

/**
 * Every line after the first. Calls are numbered in the order in which they began.
 *
 * - A unary call is one line, written when it ended: `method`, `request`, `tookMs` and `response` or `error`.
 * - A stream is a line with `stream: true` when it began, one for each `message`, and one when it ended, with `end` or `error`.
 */
export interface RecordingLine {
  readonly call: number;
  /** Start of the call, or time of a later line of a stream, in milliseconds since the recording began. */
  readonly atMs: number;
  readonly method?: string;
  readonly request?: JsonObject;
  readonly stream?: true;
  readonly tookMs?: number;
  readonly response?: JsonObject;
  readonly error?: RecordedError;
  readonly message?: JsonObject;
  /** `left`: its consumer stopped early. */
  readonly end?: 'done' | 'left';
}

/** Reason why a recording cannot be read. */
export type RecordingErrorReason = 'header-missing' | 'version-unknown' | 'line-invalid';

/** Error of a recording that cannot be read. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly reason: RecordingErrorReason;
  /** Counted from 1. */
  readonly line: number;

  constructor(reason: RecordingErrorReason, problem: string, line: number, options?: ErrorOptions) {
    super(`recording, line ${String(line)}: ${problem}`, options);
    this.reason = reason;
    this.line = line;
  }
}

/** Parses the lines of a recording without its header, which is checked. Empty lines are skipped. @throws RecordingError */
export function parseRecording(lines: Iterable<string>): { readonly line: RecordingLine; readonly number: number }[] {
  const parsed: { line: RecordingLine; number: number }[] = [];
  let number = 0;
  let headerSeen = false;
  for (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const value = parseObject(text, number, headerSeen ? 'line-invalid' : 'header-missing');
    if (headerSeen) {
      if (!Number.isSafeInteger(value['call'])) throw new RecordingError('line-invalid', 'it names no call', number);
      parsed.push({ line: value as unknown as RecordingLine, number });
    } else {
      checkHeader(value, number);
      headerSeen = true;
    }
  }
  if (!headerSeen) throw new RecordingError('header-missing', 'there is no header', number + 1);
  return parsed;
}

function parseObject(text: string, number: number, reason: RecordingErrorReason): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RecordingError(reason, 'it is not JSON', number, { cause });
  }
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new RecordingError(reason, 'it is not an object', number);
}

function checkHeader(header: Record<string, unknown>, number: number): void {
  if (header['format'] !== 'rxlet-cri-recording') {
    throw new RecordingError('header-missing', 'it is not the header of a recording', number);
  }
  if (header['version'] !== RECORDING_VERSION) {
    const problem = `its version is ${JSON.stringify(header['version'])}, and only ${String(RECORDING_VERSION)} can be read`;
    throw new RecordingError('version-unknown', problem, number);
  }
}
