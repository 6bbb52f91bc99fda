import type { Event } from '@rxlet/kube-api';
import { formatSince } from '@rxlet/pod-model/summary';

/** The columns that `events` shows, those of `kubectl events -A`. */
export const EVENT_COLUMNS = ['NAMESPACE', 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'] as const;

/** One line about an event. */
export function eventRow(event: Event, nowMs: number): string[] {
  const { metadata, involvedObject, type = '', reason = '', message = '' } = event;
  const object = `${(involvedObject.kind ?? '').toLowerCase()}/${involvedObject.name ?? ''}`;
  return [metadata.namespace ?? '', lastSeen(event, nowMs), type, reason, object, message];
}

/** Returns the age of an event, with its repetitions and the time since the first one: `5s`, `5s (x3 over 10m)`. */
export function lastSeen({ firstTimestamp, lastTimestamp, count = 1 }: Event, nowMs: number): string {
  const last = formatSince(lastTimestamp ?? firstTimestamp, nowMs);
  return count > 1 ? `${last} (x${String(count)} over ${formatSince(firstTimestamp, nowMs)})` : last;
}
