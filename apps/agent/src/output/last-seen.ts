import type { Event } from '@rxlet/kube-api';
import { formatSince } from '@rxlet/pod-model/summary';

/** Returns the age of an event, with its repetitions and the time since the first one: `5s`, `5s (x3 over 10m)`. */
export function lastSeen({ firstTimestamp, lastTimestamp, count = 1 }: Event, nowMs: number): string {
  const last = formatSince(lastTimestamp ?? firstTimestamp, nowMs);
  return count > 1 ? `${last} (x${String(count)} over ${formatSince(firstTimestamp, nowMs)})` : last;
}
