import type { HistoryEvent } from '../history/history.ts';
import type { Property } from './property.ts';

/** Time within which an agent that lives notices a signal: three periods of its checks. */
const NOTICE_MS = 30_000;

/** Time for which the node rejects pods after its pressure has ended. */
const TRANSITION_MS = 60_000 + NOTICE_MS;

/** Pods are evicted under pressure alone, are rejected as long as the node reports it, and critical ones never are. */
export const evictedUnderPressure: Property = {
  name: 'evicted-under-pressure',
  *check(history) {
    const critical = new Set<string>();
    /** Pods whose eviction, or whose rejection, is known. */
    const known = new Set<string>();
    let isPressed = false;
    let releasedMs = -Infinity;
    for (const event of history) {
      if (event.kind === 'desired' && event.pod.isCritical) critical.add(event.pod.uid);
      if (event.kind === 'pressure') {
        if (isPressed && event.conditions.length === 0) releasedMs = event.atMs;
        isPressed = event.conditions.length > 0;
      }
      const uid = endedBy(event);
      const isEviction = event.kind === 'terminate';
      // The status of an eviction follows later.
      if (uid === undefined || (!isEviction && known.has(uid))) continue;
      known.add(uid);
      const what = isEviction ? 'evicted' : 'rejected';
      if (critical.has(uid)) yield { atMs: event.atMs, text: `${uid} is ${what} although it is critical` };
      else if (!isPressed && event.atMs - releasedMs > (isEviction ? NOTICE_MS : TRANSITION_MS))
        yield { atMs: event.atMs, text: `${uid} is ${what} without pressure` };
    }
  },
};

/** Returns the UID of a pod that is evicted or shown as such. */
function endedBy(event: HistoryEvent): string | undefined {
  if (event.kind === 'terminate') return event.reason === 'evicted' ? event.uid : undefined;
  return event.kind === 'status' && event.status.reason === 'Evicted' ? event.status.uid : undefined;
}

/** Exceptions that fail the checks of the signals, because these need the pods, and their number. */
const FAILS_CHECKS = /^throw place=config\.pods times=(\d+)/;
/** Time between two checks. */
const PERIOD_MS = 10_000;

/** The conditions of the node follow its signals, unless the checks fail. */
export const pressureReported: Property = {
  name: 'pressure-reported',
  *check(history) {
    /** Times since which conditions hold. */
    const since = new Map<string, number>();
    let aliveSinceMs = Infinity;
    let failUntilMs = -Infinity;
    for (const event of history) {
      if (event.kind === 'agent') aliveSinceMs = event.change === 'started' ? event.atMs : Infinity;
      const failures = event.kind === 'step' ? Number(FAILS_CHECKS.exec(event.text)?.[1] ?? 0) : 0;
      if (failures > 0) failUntilMs = Math.max(failUntilMs, event.atMs + failures * PERIOD_MS);
      if (event.kind !== 'pressure') continue;
      for (const [condition, sinceMs] of since)
        if (
          event.atMs - Math.max(sinceMs, aliveSinceMs, failUntilMs) > NOTICE_MS &&
          event.reported?.includes(condition) === false
        )
          yield { atMs: event.atMs, text: `${condition} is not reported after ${String(NOTICE_MS / 1000)} s` };
      for (const condition of since.keys()) if (!event.conditions.includes(condition)) since.delete(condition);
      for (const condition of event.conditions) if (!since.has(condition)) since.set(condition, event.atMs);
    }
  },
};
