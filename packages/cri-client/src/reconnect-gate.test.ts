import type { Random } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createReconnectGate } from './reconnect-gate.ts';

const OPTIONS = { initialDelayMs: 100, maxDelayMs: 3000 };
const middle: Random = { next: () => 0.5, hex: () => '' };

/** Attempts to connect repeatedly, as a channel whose attempts fail. @returns the times at which they began. */
async function attemptTimes(random: Random, count: number): Promise<number[]> {
  const clock = createVirtualClock();
  const gate = createReconnectGate(clock, random, OPTIONS);
  const times: number[] = [];
  const attempt = async (): Promise<void> => {
    while (times.length < count) {
      await gate.pass();
      times.push(clock.monotonicNow());
    }
  };
  const done = attempt();
  await clock.runUntil(() => times.length === count);
  await done;
  return times;
}

describe('createReconnectGate', () => {
  it('allows the first attempt at once and the others after 100 ms growing by 1.6 up to 3 s', async () => {
    const times = await attemptTimes(middle, 12);
    expect(times.slice(1).map((time, index) => Math.round(time - times[index]!))).toEqual([
      100, 160, 256, 410, 655, 1049, 1678, 2684, 3000, 3000, 3000,
    ]);
  });

  it('spreads all but the first delay by a fifth in both directions', async () => {
    const early = await attemptTimes({ ...middle, next: () => 0 }, 3);
    const late = await attemptTimes({ ...middle, next: () => 0.999 }, 3);
    expect(early.map(Math.round)).toEqual([0, 100, 228]);
    expect(late.map(Math.round)).toEqual([0, 100, 292]);
  });

  it('resets after a success, but never allows attempts faster than the shortest delay', async () => {
    const clock = createVirtualClock();
    const gate = createReconnectGate(clock, middle, OPTIONS);
    await gate.pass();
    gate.succeeded();
    let passed = false;
    void gate.pass().then(() => (passed = true));
    await clock.advance(99);
    expect(passed).toBe(false);
    await clock.advance(1);
    expect(passed).toBe(true);
  });

  it('allows an attempt at once when the connection lasted longer than the shortest delay', async () => {
    const clock = createVirtualClock();
    const gate = createReconnectGate(clock, middle, OPTIONS);
    await gate.pass();
    gate.succeeded();
    await clock.advance(100);
    await gate.pass();
    expect(clock.pendingTimers).toBe(0);
  });

  it('shortens a long wait on hurry()', async () => {
    const clock = createVirtualClock();
    const gate = createReconnectGate(clock, middle, OPTIONS);
    for (let attempt = 0; attempt < 8; attempt++) {
      const passed = gate.pass();
      await clock.advance(3000);
      await passed;
    }
    let passed = false;
    void gate.pass().then(() => (passed = true));
    gate.retryNow();
    await clock.advance(0);
    expect(passed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects the pending wait and later ones when closed, and leaves no timer', async () => {
    const clock = createVirtualClock();
    const gate = createReconnectGate(clock, middle, OPTIONS);
    await gate.pass();
    const waiting = gate.pass();
    gate.close(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    await expect(gate.pass()).rejects.toThrow('over');
    expect(clock.pendingTimers).toBe(0);
  });
});
