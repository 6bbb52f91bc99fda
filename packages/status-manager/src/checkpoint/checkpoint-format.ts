import { createHash } from 'node:crypto';
import type { PodStatus } from '@rxlet/kube-api';
import { shapeProblem, withoutNulls } from '@rxlet/kube-api/shape';
import { tables } from '@rxlet/kube-api/tables';

/** A change of one pod. */
export interface CheckpointEntry {
  readonly podUid: string;
  /** New status; `null` when the pod was removed. */
  readonly status: PodStatus | null;
}

/** Content of a checkpoint file. */
export interface CheckpointContent {
  /** Statuses after all complete batches. */
  readonly statuses: ReadonlyMap<string, PodStatus>;
  /** Length of the first batch, which is the whole content at the last rewrite. */
  readonly wholeLength: number;
  /** Length of the appended batches. */
  readonly appendedLength: number;
  /** Length of the text after the last complete batch, which an interrupted append leaves behind. */
  readonly ignoredLength: number;
}

/** A text that is not a checkpoint. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** `version`: written by another version of this package. `damaged`: everything else. */
  readonly reason: 'version' | 'damaged';

  constructor(reason: CheckpointError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const KIND = 'PodStatusCheckpoint';
const VERSION = 2;
const STATUS_TABLE = tables['io.k8s.api.core.v1.PodStatus'];

interface Header {
  readonly kind: typeof KIND;
  readonly version: number;
  /** Length of the entries in UTF-16 code units. */
  readonly length: number;
  readonly sha256: string;
}

/**
 * Returns the text of a batch: a header line with a checksum of the entries, then one line for each entry. A file is a sequence of batches. The last entry of a pod
 * wins.
 */
export function checkpointBatch(entries: Iterable<CheckpointEntry>): string {
  let body = '';
  for (const { podUid, status } of entries) body += `${JSON.stringify({ podUid, status })}\n`;
  const header: Header = { kind: KIND, version: VERSION, length: body.length, sha256: digest(body) };
  return `${JSON.stringify(header)}\n${body}`;
}

/** Parses a file up to the first incomplete batch. @throws CheckpointError when the first batch is incomplete, or a complete one is unusable */
export function parseCheckpoint(text: string): CheckpointContent {
  const statuses = new Map<string, PodStatus>();
  let wholeLength = 0;
  let position = 0;
  do {
    const batch = readBatch(text, position);
    if (batch instanceof CheckpointError) {
      if (position === 0) throw batch;
      break;
    }
    for (const { podUid, status } of batch.entries) {
      if (status === null) statuses.delete(podUid);
      else statuses.set(podUid, status);
    }
    if (position === 0) wholeLength = batch.end;
    position = batch.end;
  } while (position < text.length);
  return { statuses, wholeLength, appendedLength: position - wholeLength, ignoredLength: text.length - position };
}

function readBatch(
  text: string,
  start: number,
): { readonly entries: readonly CheckpointEntry[]; readonly end: number } | CheckpointError {
  const headerEnd = text.indexOf('\n', start);
  const header = parseJson(text.slice(start, Math.max(start, headerEnd))) as Partial<Header> | null | undefined;
  if (header?.kind !== KIND) return new CheckpointError('damaged', 'it does not begin with the header of a checkpoint');
  if (header.version !== VERSION) {
    return new CheckpointError('version', `it has version ${String(header.version)}, not ${String(VERSION)}`);
  }
  const end = headerEnd + 1 + (header.length ?? 0);
  const body = text.slice(headerEnd + 1, end);
  if (header.sha256 !== digest(body)) return new CheckpointError('damaged', 'its content does not match its checksum');
  const entries = body
    .split('\n')
    .filter((line) => line !== '')
    .map(parseJson);
  // The checksum is right, so that no interrupted write has left this.
  if (!entries.every(isEntry)) throw new CheckpointError('damaged', 'a line is not the status of a pod');
  return { entries: entries.map(usableEntry), end };
}

/** Returns the entry without fields that are null. @throws CheckpointError for a status of a wrong shape, which would fail its readers */
function usableEntry({ podUid, status }: CheckpointEntry): CheckpointEntry {
  if (status === null) return { podUid, status };
  const problem = shapeProblem(status, STATUS_TABLE, 'status');
  if (problem !== undefined) throw new CheckpointError('damaged', `pod ${JSON.stringify(podUid)}: ${problem}`);
  return { podUid, status: withoutNulls(status, STATUS_TABLE) };
}

function isEntry(value: unknown): value is CheckpointEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { podUid, status } = value as Partial<CheckpointEntry>;
  return typeof podUid === 'string' && typeof status === 'object' && !Array.isArray(status);
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
