import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A WebSocket frame, or a SPDY frame, as the recording has it. */
export interface RecordedFrame {
  readonly op?: 'binary' | 'text' | 'ping' | 'pong' | 'close';
  readonly ch?: number | string;
  readonly code?: number;
  readonly reason?: string;
  readonly f?: string;
  readonly id?: number;
  readonly h?: Readonly<Record<string, string>>;
  readonly flags?: number;
  readonly last?: number;
  readonly data?: string;
  /** Length of data of which only the beginning is shown. */
  readonly len?: number;
}

/** One line of a conversation: a frame of the client or the server, the end of the connection, or a time after which it was open. */
export interface RecordedStep {
  readonly '>'?: RecordedFrame;
  readonly '<'?: RecordedFrame;
  readonly '<eof'?: '';
  readonly 'open after'?: number;
}

/** A recorded conversation of a client with a kubelet. */
export interface RecordedStream {
  readonly case: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  };
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly frames?: readonly RecordedStep[];
}

/** Reads the conversations of a kubelet 1.36.2 with containerd 1.6 below it. */
export function readRecordedStreams(): readonly RecordedStream[] {
  const lines = gunzipSync(readFileSync(new URL('streams.jsonl.gz', import.meta.url)))
    .toString()
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedStream);
}

/** Returns the headers of a recorded request as lines. */
export function requestHeaders({ request }: RecordedStream): readonly (readonly [string, string])[] {
  return Array.isArray(request.headers)
    ? (request.headers as readonly (readonly [string, string])[])
    : Object.entries(request.headers as Readonly<Record<string, string>>);
}
