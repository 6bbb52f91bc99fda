import type { Property } from './property.ts';

/** Time within which an agent that lives notices a signal: three periods of its checks. */
const NOTICE_MS = 30_000;

/** Pods are evicted under pressure alone, and critical ones never. */
export const evictedUnderPressure: Property = {
  name: 'evicted-under-pressure',
  *check(history) {
    const critical = new Set<string>();
    const evicted = new Set<string>();
    let isPressed = false;
    let releasedMs = -Infinity;
    let startedMs = -Infinity;
    for (const event of history) {
      if (event.kind === 'desired' && event.pod.isCritical) critical.add(event.pod.uid);
      if (event.kind === 'agent') startedMs = event.atMs;
      if (event.kind === 'pressure') {
        if (isPressed && event.conditions.length === 0) releasedMs = event.atMs;
        isPressed = event.conditions.length > 0;
      }
      if (event.kind !== 'status' || event.status.reason !== 'Evicted' || evicted.has(event.status.uid)) continue;
      evicted.add(event.status.uid);
      if (critical.has(event.status.uid))
        yield { atMs: event.atMs, text: `${event.status.uid} is evicted although it is critical` };
      // An eviction takes a while, and the next agent publishes the status of an earlier one.
      else if (!isPressed && event.atMs - Math.max(releasedMs, startedMs) > 4 * NOTICE_MS)
        yield { atMs: event.atMs, text: `${event.status.uid} is evicted without pressure` };
    }
  },
};

/** The conditions of the node follow its signals. */
export const pressureReported: Property = {
  name: 'pressure-reported',
  *check(history) {
    /** Times since which conditions hold. */
    const since = new Map<string, number>();
    let aliveSinceMs = Infinity;
    for (const event of history) {
      if (event.kind === 'agent') aliveSinceMs = event.change === 'started' ? event.atMs : Infinity;
      if (event.kind !== 'pressure') continue;
      for (const [condition, sinceMs] of since)
        if (event.atMs - Math.max(sinceMs, aliveSinceMs) > NOTICE_MS && event.reported?.includes(condition) === false)
          yield { atMs: event.atMs, text: `${condition} is not reported after ${String(NOTICE_MS / 1000)} s` };
      for (const condition of since.keys()) if (!event.conditions.includes(condition)) since.delete(condition);
      for (const condition of event.conditions) if (!since.has(condition)) since.set(condition, event.atMs);
    }
  },
};
