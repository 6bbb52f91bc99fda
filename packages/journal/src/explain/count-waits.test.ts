import { expect, it } from 'vitest';
import type { JournalSpan, Life } from '../model/life.ts';
import { countWaits } from './count-waits.ts';

it('counts the pods that wait by kind, with the age of the oldest wait', () => {
  const lifeOf = (uid: string, ...spans: readonly JournalSpan[]): Life => ({
    id: uid,
    uid,
    namespace: 'default',
    name: uid,
    startMs: 0,
    droppedSpans: 0,
    spans: [{ id: uid, kind: 'pod', startMs: 0 }, ...spans],
  });
  const span = (kind: string, startMs: number, endMs?: number): JournalSpan => ({
    id: `${kind} ${String(startMs)}`,
    kind,
    startMs,
    ...(endMs !== undefined && { endMs }),
  });
  const lives = [
    lifeOf('a', span('pod.sync', 100), span('image.backoff', 2_000), span('image.backoff', 3_000)),
    lifeOf('b', span('image.backoff', 4_000), span('gpu/reset', 5_000)),
    lifeOf('c', span('image.pull', 100, 200)),
  ];
  expect(countWaits(lives, 10_000)).toEqual([
    { kind: 'image.backoff', pods: 2, oldestAgeMs: 8_000 },
    { kind: 'gpu/reset', pods: 1, oldestAgeMs: 5_000 },
  ]);
});
