import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createSemaphore } from './semaphore.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('createSemaphore', () => {
  it('runs as many tasks as there are permits, and the others in order', async () => {
    const clock = createVirtualClock();
    const semaphore = createSemaphore(2);
    const log: string[] = [];
    for (const [name, ms] of [
      ['a', 30],
      ['b', 10],
      ['c', 10],
      ['d', 10],
    ] as const) {
      void semaphore.run(async () => {
        log.push(`${String(clock.monotonicNow())} ${name}`);
        await sleep(clock, ms);
      });
    }
    expect(semaphore.waiting).toBe(2);
    await clock.advance(100);
    expect(log).toEqual(['0 a', '0 b', '10 c', '20 d']);
    expect(semaphore.waiting).toBe(0);
  });

  it('returns results and errors, and releases the permit after either', async () => {
    const semaphore = createSemaphore(1);
    await expect(semaphore.run(() => Promise.resolve(1))).resolves.toBe(1);
    await expect(semaphore.run(() => Promise.reject(new Error('rejected')))).rejects.toThrow('rejected');
    const throws = (): Promise<void> => {
      throw new Error('thrown');
    };
    await expect(semaphore.run(throws)).rejects.toThrow('thrown');
    await expect(semaphore.run(() => Promise.resolve(2))).resolves.toBe(2);
  });

  it('passes a released permit to the longest waiter, before any later caller', async () => {
    const semaphore = createSemaphore(1);
    const order: string[] = [];
    const first = semaphore.run(async () => void order.push('first'));
    const second = semaphore.run(async () => void order.push('second'));
    const late = first.then(() => semaphore.run(async () => void order.push('late')));
    await Promise.all([first, second, late]);
    expect(order).toEqual(['first', 'second', 'late']);
  });

  it('leaves the queue when the signal aborts, without running the task', async () => {
    const clock = createVirtualClock();
    const semaphore = createSemaphore(1);
    const controller = new AbortController();
    const ran: string[] = [];
    void semaphore.run(() => sleep(clock, 10));
    const queued = semaphore.run(async () => void ran.push('queued'), controller.signal);
    const waiting = semaphore.run(async () => void ran.push('waiting'));
    controller.abort(new Error('too long'));
    await expect(queued).rejects.toThrow('too long');
    expect(semaphore.waiting).toBe(1);
    await clock.advance(10);
    await waiting;
    expect(ran).toEqual(['waiting']);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener once it has a permit', async () => {
    const clock = createVirtualClock();
    const semaphore = createSemaphore(1);
    const { signal } = new AbortController();
    void semaphore.run(() => sleep(clock, 10), signal);
    const second = semaphore.run(() => Promise.resolve(), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(10);
    await second;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects for an aborted signal, even with a free permit', async () => {
    const semaphore = createSemaphore(1);
    let ran = false;
    const task = async (): Promise<void> => void (ran = true);
    await expect(semaphore.run(task, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(ran).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects %d permits', (permits) => {
    expect(() => createSemaphore(permits)).toThrow(RangeError);
  });

  it('never exceeds its permits, leaves none unused, and keeps the order', async () => {
    const task = fc.record({
      ms: fc.nat(10),
      gapMs: fc.nat(4),
      abortAfterMs: fc.option(fc.nat(20), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), async (tasks, permits) => {
        const clock = createVirtualClock();
        const semaphore = createSemaphore(permits);
        const started: number[] = [];
        let running = 0;
        let open = tasks.length;
        for (const [index, { ms, gapMs, abortAfterMs }] of tasks.entries()) {
          const controller = new AbortController();
          if (abortAfterMs !== undefined) clock.setTimer(abortAfterMs, () => controller.abort());
          void semaphore
            .run(async () => {
              started.push(index);
              running += 1;
              expect(running).toBeLessThanOrEqual(permits);
              await sleep(clock, ms);
              running -= 1;
            }, controller.signal)
            .catch((error: Error) => expect(error.name).toBe('AbortError'))
            .finally(() => (open -= 1));
          await clock.advance(gapMs);
          if (semaphore.waiting > 0) expect(running).toBe(permits);
        }
        await clock.runUntil(() => open === 0);
        expect(started).toEqual([...started].sort((a, b) => a - b));
        expect(tasks.every(({ abortAfterMs }, index) => abortAfterMs !== undefined || started.includes(index))).toBe(
          true,
        );
      }),
      { seed: 2026, numRuns: 50 },
    );
  });
});
