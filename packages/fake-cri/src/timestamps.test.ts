import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createTimestamps } from './timestamps.ts';

describe('createTimestamps', () => {
  it('never returns the same timestamp twice while time stands still', () => {
    const timestamps = createTimestamps(createVirtualClock({ startMs: 5 }));
    expect([timestamps(), timestamps(), timestamps()]).toEqual([5_000_000n, 5_000_001n, 5_000_002n]);
  });

  it('follows the wall clock backwards, but not for one object', () => {
    const clock = createVirtualClock({ startMs: 5 });
    const timestamps = createTimestamps(clock);
    const created = timestamps();
    clock.setWallClock(3);
    expect(timestamps(created)).toBe(5_000_001n);
    expect(timestamps()).toBe(3_000_001n);
  });
});
