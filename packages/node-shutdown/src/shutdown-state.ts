import type { NodeFiles } from '@rxlet/node-files';
import type { ShutdownGroup } from './plan/shutdown-groups.ts';

/** A shutdown as the state file has it, so that a restarted agent goes on with it. */
export interface ShutdownState {
  readonly startMs: number;
  /** Absent: the shutdown goes on, or was interrupted. */
  readonly endMs?: number | undefined;
  /** Identity of the boot during which it began. After another boot it is history. Absent: written by a kubelet. */
  readonly bootId?: string | undefined;
  /** The group whose pods end now, and the time since which they do. */
  readonly group?: { readonly index: number; readonly startMs: number } | undefined;
  /** Groups of a drain. Absent: the node shuts down. */
  readonly drain?: readonly ShutdownGroup[] | undefined;
  /** UIDs of the pods whose termination was requested. */
  readonly terminating: readonly string[];
}

/** Name of the file below the root directory. Its times are those that a kubelet writes; a kubelet ignores the rest. */
export const STATE_FILE = 'graceful_node_shutdown_state';

const MAX_BYTES = 1024 * 1024;
/** How Go writes a time that was not set. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** Reads the state file; `undefined` when there is none. @throws Error when it cannot be used */
export async function readShutdownState(
  files: Pick<NodeFiles, 'readFile'>,
  path: string,
): Promise<ShutdownState | undefined> {
  const bytes = await files.readFile(path, MAX_BYTES);
  return bytes === undefined ? undefined : parseShutdownState(Buffer.from(bytes).toString());
}

/** Parses the text of a state file, also a kubelet's; `undefined` when no shutdown has begun. @throws Error for any other text */
export function parseShutdownState(text: string): ShutdownState | undefined {
  const content: unknown = JSON.parse(text);
  if (typeof content !== 'object' || content === null) throw new Error('the content is not an object');
  const { startTime, endTime, bootId, group, drain, terminating } = content as Readonly<Record<string, unknown>>;
  const startMs = timeOf(startTime);
  if (startMs === undefined) return undefined;
  return {
    startMs,
    endMs: timeOf(endTime),
    bootId: typeof bootId === 'string' ? bootId : undefined,
    group: groupOf(group),
    ...(Array.isArray(drain) && { drain: drain.filter(isShutdownGroup) }),
    terminating: Array.isArray(terminating) ? terminating.filter((uid) => typeof uid === 'string') : [],
  };
}

/** Returns the text of the state file. */
export function formatShutdownState({ startMs, endMs, bootId, group, drain, terminating }: ShutdownState): string {
  return JSON.stringify({
    startTime: new Date(startMs).toISOString(),
    endTime: endMs === undefined ? NO_TIME : new Date(endMs).toISOString(),
    bootId,
    group: group && { index: group.index, startTime: new Date(group.startMs).toISOString() },
    drain,
    terminating,
  });
}

function timeOf(value: unknown): number | undefined {
  if (value === undefined || value === NO_TIME) return undefined;
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(ms)) throw new Error(`${JSON.stringify(value)} is not a time`);
  return ms;
}

function groupOf(value: unknown): ShutdownState['group'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { index, startTime } = value as Readonly<Record<string, unknown>>;
  const startMs = timeOf(startTime);
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || startMs === undefined) return undefined;
  return { index, startMs };
}

function isShutdownGroup(value: unknown): value is ShutdownGroup {
  if (typeof value !== 'object' || value === null) return false;
  const { priority, gracePeriodSeconds } = value as Readonly<Record<string, unknown>>;
  return typeof priority === 'number' && typeof gracePeriodSeconds === 'number';
}
