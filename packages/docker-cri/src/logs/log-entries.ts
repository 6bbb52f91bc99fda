import type { Readable } from 'node:stream';
import { type OutputStream, readFrames } from '../engine/multiplexed-stream.ts';

/** A piece of output in Docker's log: a line, or a part of a long or unfinished one. */
export interface LogEntry {
  /** Time with nine digits after the second, as Docker and the CRI write it. */
  readonly time: string;
  readonly stream: OutputStream;
  /** Without the newline. */
  readonly content: Buffer;
  /** Whether a newline followed. */
  readonly isComplete: boolean;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
/** Docker cuts longer lines. */
const MAX_CONTENT_BYTES = 16 * 1024;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z $/;
const TIME_BYTES = 31;

/** Reads Docker's log of a container without a terminal, which has a frame for each entry. */
export async function* readMultiplexedLog(source: Readable): AsyncGenerator<readonly LogEntry[], void, undefined> {
  for await (const frames of readFrames(source)) {
    yield frames.flatMap(({ stream, data }) => entryOf(stream, data) ?? []);
  }
}

/** Reads Docker's log of a container with a terminal, which has no frames: an entry ends with a newline, or where a time follows a content of the largest size. */
export async function* readTerminalLog(source: Readable): AsyncGenerator<readonly LogEntry[], void, undefined> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const entries: LogEntry[] = [];
    for (;;) {
      const end = entryEnd(pending);
      if (end === undefined) break;
      const entry = entryOf('stdout', pending.subarray(0, end));
      if (entry !== undefined) entries.push(entry);
      pending = pending.subarray(end);
    }
    if (entries.length > 0) yield entries;
  }
  const last = entryOf('stdout', pending);
  if (last !== undefined) yield [last];
}

function entryEnd(bytes: Buffer): number | undefined {
  const newline = bytes.indexOf(NEWLINE);
  const cut = TIME_BYTES + MAX_CONTENT_BYTES;
  if (bytes.length >= cut + TIME_BYTES && (newline === -1 || newline > cut)) {
    if (TIME.test(bytes.toString('latin1', cut, cut + TIME_BYTES))) return cut;
  }
  return newline === -1 ? undefined : newline + 1;
}

function entryOf(stream: OutputStream, data: Buffer): LogEntry | undefined {
  const space = data.indexOf(SPACE);
  if (space === -1) return undefined;
  const isComplete = data.at(-1) === NEWLINE;
  const content = data.subarray(space + 1, isComplete ? -1 : undefined);
  return { time: data.toString('latin1', 0, space), stream, content, isComplete };
}
