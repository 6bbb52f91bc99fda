import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeadlineQueue } from './deadline-queue.ts';
import { createVirtualClock } from './virtual-clock.ts';

/** A queue that notes at which millisecond it wakes which key. */
function recordedQueue() {
  const clock = createVirtualClock();
  const woken: [number, string][] = [];
  const queue = createDeadlineQueue<string>(clock, (key) => woken.push([clock.monotonicNow(), key]));
  return { clock, queue, woken };
}

describe('createDeadlineQueue', () => {
  it('wakes each key at its time, with one timer for all', async () => {
    const { clock, queue, woken } = recordedQueue();
    queue.set('c', 30);
    queue.set('a', 10);
    queue.set('b', 20);
    expect(clock.pendingTimers).toBe(1);
    expect(queue.size).toBe(3);
    await clock.advance(100);
    expect(woken).toEqual([
      [10, 'a'],
      [20, 'b'],
      [30, 'c'],
    ]);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('wakes keys of one time in the order they were set', async () => {
    const { clock, queue, woken } = recordedQueue();
    const keys = [...'hgfedcba'];
    for (const key of keys) queue.set(key, 10);
    await clock.advance(10);
    expect(woken.map(([, key]) => key)).toEqual(keys);
  });

  it('replaces the time of a key, earlier or later', async () => {
    const { clock, queue, woken } = recordedQueue();
    queue.set('a', 10);
    queue.set('b', 20);
    queue.set('a', 30);
    queue.set('b', 5);
    expect(queue.size).toBe(2);
    await clock.advance(100);
    expect(woken).toEqual([
      [5, 'b'],
      [30, 'a'],
    ]);
  });

  it('does not wake a key that was taken out, and keeps no timer for it', async () => {
    const { clock, queue, woken } = recordedQueue();
    queue.set('a', 10);
    queue.set('b', 20);
    queue.delete('a');
    queue.delete('unknown');
    await clock.advance(15);
    queue.delete('b');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(100);
    expect(woken).toEqual([]);
  });

  it('never wakes within the call, and takes what is past as now', async () => {
    const { clock, queue, woken } = recordedQueue();
    queue.set('a', 0);
    queue.set('b', -100);
    queue.set('c', Number.NaN);
    expect(woken).toEqual([]);
    await clock.advance(0);
    expect(woken).toEqual([
      [0, 'a'],
      [0, 'b'],
      [0, 'c'],
    ]);
  });

  it('keeps a key for ever with Infinity', () => {
    const { clock, queue } = recordedQueue();
    queue.set('a', Infinity);
    expect(queue.size).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts on the monotonic clock', async () => {
    const { clock, queue, woken } = recordedQueue();
    queue.set('a', 10);
    clock.setWallClock(0);
    await clock.advance(10);
    expect(woken).toEqual([[10, 'a']]);
  });

  it('lets a key be set and taken out while another is woken', async () => {
    const clock = createVirtualClock();
    const woken: string[] = [];
    const queue = createDeadlineQueue<string>(clock, (key) => {
      woken.push(`${String(clock.monotonicNow())} ${key}`);
      if (key !== 'a') return;
      queue.delete('b');
      queue.set('c', 50);
      queue.set('d', 0);
    });
    for (const key of ['a', 'b', 'c']) queue.set(key, 10);
    await clock.advance(100);
    expect(woken).toEqual(['10 a', '10 d', '60 c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives others a turn when a key sets itself again without delay', async () => {
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

  it('wakes nobody after it was disposed of, also by the one it is just waking', async () => {
    const clock = createVirtualClock();
    const woken: string[] = [];
    const queue = createDeadlineQueue<string>(clock, (key) => {
      woken.push(key);
      queue[Symbol.dispose]();
      queue.set('again', 0);
    });
    for (const key of ['a', 'b', 'c']) queue.set(key, 10);
    await clock.advance(100);
    expect(woken).toEqual(['a']);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits on when a timer comes early', async () => {
    const clock = createVirtualClock();
    const early = {
      ...clock,
      setTimer: (delayMs: number, callback: () => void) => clock.setTimer(delayMs * 0.9, callback),
    };
    const woken: number[] = [];
    const queue = createDeadlineQueue<string>(early, () => woken.push(clock.monotonicNow()));
    queue.set('a', 1000);
    await clock.advance(999);
    expect(woken).toEqual([]);
    await clock.advance(2);
    expect(woken).toHaveLength(1);
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
        const { clock, queue, woken } = recordedQueue();
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
        expect(woken).toEqual(expected);
      }),
      { seed: 2026, numRuns: 150 },
    );
  });

  it('wakes each key once, however often it was set', async () => {
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
