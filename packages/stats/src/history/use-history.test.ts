import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createUseHistory } from './use-history.ts';

describe('the history of the use of the node', () => {
  it('has the last hour, without the moments that could not be measured', async () => {
    const clock = createVirtualClock();
    let measured = 0;
    const history = createUseHistory(clock, () => {
      measured += 1;
      if (measured === 2) throw new Error('no cgroups');
      return measured === 3
        ? undefined
        : { timeMs: clock.now(), cpuNanoseconds: measured * 1e9, workingSetBytes: measured };
    });
    expect(measured).toBe(0);
    history.start();
    await clock.advance(90_000);
    expect(history.samples().map(({ workingSetBytes }) => workingSetBytes)).toEqual([1, 4]);
    await clock.advance(2 * 3_600_000);
    const samples = history.samples();
    expect([samples.length, samples.at(-1)!.timeMs - samples[0]!.timeMs]).toEqual([121, 3_600_000]);
    history[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
