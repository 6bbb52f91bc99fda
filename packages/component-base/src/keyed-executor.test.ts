import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createKeyedExecutor } from './keyed-executor.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('createKeyedExecutor', () => {
  it('returns the result of each task', async () => {
    const executor = createKeyedExecutor();
    const results = await Promise.all([
      executor.run('a', () => Promise.resolve(1)),
      executor.run('b', () => Promise.resolve('two')),
      executor.run('a', () => Promise.resolve([3])),
    ]);
    expect(results).toEqual([1, 'two', [3]]);
  });

  it('runs keys concurrently and the tasks of one key in order', async () => {
    const clock = createVirtualClock();
    const executor = createKeyedExecutor();
    const log: string[] = [];
    const task = (name: string, ms: number) => async (): Promise<void> => {
      log.push(`${name} from ${String(clock.monotonicNow())}`);
      await sleep(clock, ms);
      log.push(`${name} to ${String(clock.monotonicNow())}`);
    };
    void executor.run('a', task('a1', 100));
    void executor.run('a', task('a2', 10));
    void executor.run('b', task('b1', 50));
    await clock.advance(200);
    expect(log).toEqual(['a1 from 0', 'b1 from 0', 'b1 to 50', 'a1 to 100', 'a2 from 100', 'a2 to 110']);
  });

  it('runs the next task after one that rejects or throws', async () => {
    const executor = createKeyedExecutor();
    const rejected = executor.run('a', () => Promise.reject(new Error('rejected')));
    const threw = executor.run('a', () => {
      throw new Error('thrown');
    });
    const fine = executor.run('a', () => Promise.resolve('fine'));
    await expect(rejected).rejects.toThrow('rejected');
    await expect(threw).rejects.toThrow('thrown');
    await expect(fine).resolves.toBe('fine');
    expect(executor.size).toBe(0);
  });

  it('starts tasks asynchronously', () => {
    let started = false;
    void createKeyedExecutor().run('a', async () => void (started = true));
    expect(started).toBe(false);
  });

  it('removes a key with its last task, and is idle when no key is left', async () => {
    const clock = createVirtualClock();
    const executor = createKeyedExecutor();
    let idle = false;
    void executor.run('a', () => sleep(clock, 10));
    // Added while the executor is already being awaited.
    void executor.run('b', () => sleep(clock, 20)).then(() => executor.run('c', () => sleep(clock, 30)));
    void executor.idle().then(() => (idle = true));
    expect(executor.size).toBe(2);
    await clock.advance(10);
    expect(executor.size).toBe(1);
    await clock.advance(39);
    expect(idle).toBe(false);
    await clock.advance(1);
    expect(idle).toBe(true);
    expect(executor.size).toBe(0);
  });

  it('is idle initially', async () => {
    await expect(createKeyedExecutor().idle()).resolves.toBeUndefined();
  });

  it('keeps the order of each key and never runs two of its tasks at once', async () => {
    const task = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      ms: fc.nat(5),
      fails: fc.boolean(),
      gapMs: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 30 }), async (tasks) => {
        const clock = createVirtualClock();
        const executor = createKeyedExecutor();
        const started: Record<string, number[]> = { a: [], b: [], c: [] };
        const running = new Set<string>();
        for (const [index, { key, ms, fails, gapMs }] of tasks.entries()) {
          const result = executor.run(key, async () => {
            expect(running).not.toContain(key);
            running.add(key);
            started[key]!.push(index);
            await sleep(clock, ms);
            running.delete(key);
            if (fails) throw new Error('meant to');
          });
          result.catch((error: Error) => expect(error.message).toBe('meant to'));
          await clock.advance(gapMs);
        }
        await clock.runUntil(() => executor.size === 0);
        for (const key of ['a', 'b', 'c']) {
          expect(started[key]).toEqual([...tasks.keys()].filter((index) => tasks[index]!.key === key));
        }
      }),
      { seed: 2026, numRuns: 50 },
    );
  });
});
