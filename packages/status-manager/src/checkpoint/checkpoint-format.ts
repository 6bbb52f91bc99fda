import { createHash } from 'node:crypto';
import type { PodStatus } from '@rxlet/kube-api';

/** What is kept of one pod. */
export interface CheckpointEntry {
  readonly podUid: string;
  readonly status: PodStatus;
}

/** A text is no checkpoint, or not a whole one. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** `version`: written by another version of this package; `damaged`: everything else. */
  readonly reason: 'version' | 'damaged';

  constructor(reason: CheckpointError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const VERSION = 1;

interface Header {
  readonly kind: 'PodStatusCheckpoint';
  readonly version: number;
  readonly sha256: string;
}

/** One pod's line. It is made once for each version of a status, however often the file is written. */
export function checkpointLine(entry: CheckpointEntry): string {
  return JSON.stringify(entry);
}

/** The text of a file: a line that says what it is and proves that it is whole, then one of each pod. */
export function checkpointText(lines: Iterable<string>): string {
  const body = [...lines, ''].join('\n');
  const header: Header = { kind: 'PodStatusCheckpoint', version: VERSION, sha256: digest(body) };
  return `${JSON.stringify(header)}\n${body}`;
}

/** @throws CheckpointError */
export function parseCheckpoint(text: string): readonly CheckpointEntry[] {
  const headerEnd = text.indexOf('\n');
  const header = parseJson(text.slice(0, Math.max(0, headerEnd))) as Partial<Header> | undefined;
  if (header?.kind !== 'PodStatusCheckpoint') throw new CheckpointError('damaged', 'it does not begin as a checkpoint');
  if (header.version !== VERSION) {
    throw new CheckpointError('version', `it has version ${String(header.version)}, not ${String(VERSION)}`);
  }
  const body = text.slice(headerEnd + 1);
  if (header.sha256 !== digest(body)) throw new CheckpointError('damaged', 'its content does not match its checksum');
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const entry = parseJson(line);
      if (!isEntry(entry)) throw new CheckpointError('damaged', 'a line of it is no status of a pod');
      return entry;
    });
}

function isEntry(value: unknown): value is CheckpointEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { podUid, status } = value as Partial<CheckpointEntry>;
  return typeof podUid === 'string' && typeof status === 'object' && status !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
