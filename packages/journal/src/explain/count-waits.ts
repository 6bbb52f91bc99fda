import { isWaitKind } from '@rxlet/agent-api/journal';
import type { Life } from '../model/life.ts';

/** Open waits of one kind. */
export interface WaitCount {
  readonly kind: string;
  readonly pods: number;
  readonly oldestAgeMs: number;
}

/** Counts the pods that wait, by the kind of what they wait for, most first. Pure. */
export function countWaits(lives: readonly Life[], nowMs: number): readonly WaitCount[] {
  const counts = new Map<string, { uids: Set<string>; oldestMs: number }>();
  for (const { uid, spans } of lives) {
    for (const { kind, startMs, endMs } of spans) {
      if (endMs !== undefined || !(isWaitKind(kind) || kind.includes('/'))) continue;
      const { uids, oldestMs } = counts.get(kind) ?? { uids: new Set(), oldestMs: nowMs };
      counts.set(kind, { uids: uids.add(uid), oldestMs: Math.min(oldestMs, startMs) });
    }
  }
  return Array.from(counts, ([kind, { uids, oldestMs }]) => ({
    kind,
    pods: uids.size,
    oldestAgeMs: Math.round(nowMs - oldestMs),
  })).toSorted((a, b) => b.pods - a.pods || b.oldestAgeMs - a.oldestAgeMs);
}
