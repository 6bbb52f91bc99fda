import { describe, expect, it } from 'vitest';
import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createSingleFlight } from './single-flight.ts';

function setup() {
  const clock = createVirtualClock();
  const flights = createSingleFlight<number>(clock);
  let started = 0;
  let cancelled = 0;
  const task = async (signal: AbortSignal): Promise<number> => {
    started += 1;
    const number = started;
    await sleep(clock, 1000, signal).catch((error: unknown) => {
      cancelled += 1;
      throw error;
    });
    return number;
  };
  return { clock, flights, task, counts: () => ({ started, cancelled }) };
}

describe('a single flight', () => {
  it('does equal work at the same time once, and later work anew', async () => {
    const { clock, flights, task, counts } = setup();
    const outcomes = Promise.all([flights.run('a', task), flights.run('a', task), flights.run('b', task)]);
    await clock.advance(1000);
    expect(await outcomes).toEqual([1, 1, 2]);
    const later = flights.run('a', task);
    await clock.advance(1000);
    expect(await later).toBe(3);
    expect(counts()).toEqual({ started: 3, cancelled: 0 });
  });

  it('cancels work when its last caller leaves, and starts new work for the next one', async () => {
    const { clock, flights, task, counts } = setup();
    const [first, second] = [new AbortController(), new AbortController()];
    const outcomes = Promise.allSettled([flights.run('a', task, first.signal), flights.run('a', task, second.signal)]);
    first.abort(new Error('first'));
    await clock.settle();
    expect(counts().cancelled).toBe(0);
    second.abort(new Error('second'));
    await clock.settle();
    const third = flights.run('a', task);
    await clock.advance(1000);
    expect(await outcomes).toMatchObject([{ reason: { message: 'first' } }, { reason: { message: 'second' } }]);
    expect(await third).toBe(2);
    expect(counts()).toEqual({ started: 2, cancelled: 1 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails for all callers, and is retried', async () => {
    const { flights } = setup();
    const fail = async (): Promise<number> => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled([flights.run('a', fail), flights.run('a', fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await flights.run('a', async () => 1)).toBe(1);
  });
});
