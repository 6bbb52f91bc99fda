import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeadlineQueue } from './deadline-queue.ts';
import { createVirtualClock } from './virtual-clock.ts';

/** Creates a queue that records the time at which each key is due. */
function recordedQueue() {
  const clock = createVirtualClock();
  const reported: [number, string][] = [];
  const queue = createDeadlineQueue<string>(clock, (key) => reported.push([clock.monotonicNow(), key]));
  return { clock, queue, reported };
}

describe('createDeadlineQueue', () => {
  it('reports each key at its time with one timer for all', async () => {
    const { clock, queue, reported } = recordedQueue();
    queue.set('c', 30);
    queue.set('a', 10);
    queue.set('b', 20);
    expect(clock.pendingTimers).toBe(1);
    expect(queue.size).toBe(3);
    await clock.advance(100);
    expect(reported).toEqual([
      [10, 'a'],
      [20, 'b'],
      [30, 'c'],
    ]);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports keys with the same time in the order they were set', async () => {
    const { clock, queue, reported } = recordedQueue();
    const keys = [...'hgfedcba'];
    for (const key of keys) queue.set(key, 10);
    await clock.advance(10);
    expect(reported.map(([, key]) => key)).toEqual(keys);
  });

  it('replaces the time of a key, earlier or later', async () => {
    const { clock, queue, reported } = recordedQueue();
    queue.set('a', 10);
    queue.set('b', 20);
    queue.set('a', 30);
    queue.set('b', 5);
    expect(queue.size).toBe(2);
    await clock.advance(100);
    expect(reported).toEqual([
      [5, 'b'],
      [30, 'a'],
    ]);
  });

  it('does not report a removed key, and keeps no timer for it', async () => {
    const { clock, queue, reported } = recordedQueue();
    queue.set('a', 10);
    queue.set('b', 20);
    queue.delete('a');
    queue.delete('unknown');
    await clock.advance(15);
    queue.delete('b');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(100);
    expect(reported).toEqual([]);
  });

  it('reports a key with a negative delay as soon as possible, but asynchronously', async () => {
    const { clock, queue, reported } = recordedQueue();
    queue.set('a', 0);
    queue.set('b', -100);
    queue.set('c', Number.NaN);
    expect(reported).toEqual([]);
    await clock.advance(0);
    expect(reported).toEqual([
      [0, 'a'],
      [0, 'b'],
      [0, 'c'],
    ]);
  });

  it('keeps a key with an infinite delay', () => {
    const { clock, queue } = recordedQueue();
    queue.set('a', Infinity);
    expect(queue.size).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('uses the monotonic clock', async () => {
    const { clock, queue, reported } = recordedQueue();
    queue.set('a', 10);
    clock.setWallClock(0);
    await clock.advance(10);
    expect(reported).toEqual([[10, 'a']]);
  });

  it('sets and removes keys during a callback', async () => {
    const clock = createVirtualClock();
    const reported: string[] = [];
    const queue = createDeadlineQueue<string>(clock, (key) => {
      reported.push(`${String(clock.monotonicNow())} ${key}`);
      if (key !== 'a') return;
      queue.delete('b');
      queue.set('c', 50);
      queue.set('d', 0);
    });
    for (const key of ['a', 'b', 'c']) queue.set(key, 10);
    await clock.advance(100);
    expect(reported).toEqual(['10 a', '10 d', '60 c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not starve other keys when a key sets itself again without delay', async () => {
    const clock = createVirtualClock();
    let wakings = 0;
    const queue = createDeadlineQueue<string>(clock, (key) => {
      wakings += 1;
      queue.set(key, 0);
    });
    queue.set('eager', 10);
    await clock.runUntil(() => wakings === 3);
    queue[Symbol.dispose]();
    await clock.advance(100);
    expect(wakings).toBe(3);
  });

  it('makes no callback after disposal, even when a callback disposes of it', async () => {
    const clock = createVirtualClock();
    const reported: string[] = [];
    const queue = createDeadlineQueue<string>(clock, (key) => {
      reported.push(key);
      queue[Symbol.dispose]();
      queue.set('again', 0);
    });
    for (const key of ['a', 'b', 'c']) queue.set(key, 10);
    await clock.advance(100);
    expect(reported).toEqual(['a']);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sets its timer again when it fires early', async () => {
    const clock = createVirtualClock();
    const early = {
      ...clock,
      setTimer: (delayMs: number, callback: () => void) => clock.setTimer(delayMs * 0.9, callback),
    };
    const reported: number[] = [];
    const queue = createDeadlineQueue<string>(early, () => reported.push(clock.monotonicNow()));
    queue.set('a', 1000);
    await clock.advance(999);
    expect(reported).toEqual([]);
    await clock.advance(2);
    expect(reported).toHaveLength(1);
  });

  it('agrees with a sorted list on every history, with at most one timer', async () => {
    const key = fc.constantFrom(...'abcdefgh');
    const command = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key, ms: fc.nat(50) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, ms: fc.constant(0) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), key, ms: fc.nat(20) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 200 }), async (commands) => {
        const { clock, queue, reported } = recordedQueue();
        const expected: [number, string][] = [];
        let model: { key: string; dueMs: number }[] = [];
        for (const { kind, key, ms } of commands) {
          if (kind === 'advance') {
            await clock.advance(ms);
            const due = model.filter(({ dueMs }) => dueMs <= clock.monotonicNow()).sort((a, b) => a.dueMs - b.dueMs);
            model = model.filter((entry) => !due.includes(entry));
            expected.push(...due.map(({ key, dueMs }): [number, string] => [dueMs, key]));
          } else {
            queue[kind](key, ms);
            model = model.filter((entry) => entry.key !== key);
            if (kind === 'set') model.push({ key, dueMs: clock.monotonicNow() + ms });
          }
          expect(queue.size).toBe(model.length);
          expect(clock.pendingTimers).toBe(model.length > 0 ? 1 : 0);
        }
        expect(reported).toEqual(expected);
      }),
      { seed: 2026, numRuns: 150 },
    );
  });

  it('reports each key once, however often it was set', async () => {
    const clock = createVirtualClock();
    let wakings = 0;
    const queue = createDeadlineQueue<object>(clock, () => (wakings += 1));
    const keys = Array.from({ length: 10 }, () => ({}));
    queue.set({}, 1);
    for (let round = 0; round < 2000; round += 1) for (const key of keys) queue.set(key, 1000 + round);
    expect(queue.size).toBe(11);
    await clock.advance(4000);
    expect(wakings).toBe(11);
  });
});
