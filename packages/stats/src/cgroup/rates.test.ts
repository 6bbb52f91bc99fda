import { describe, expect, it } from 'vitest';
import type { CgroupSample } from './cgroup-sample.ts';
import { createCgroupRates } from './rates.ts';

function sampleAt(timeMs: number, usageNanoseconds: number): CgroupSample {
  const throttling = { periods: 0, throttledPeriods: 0, throttledNanoseconds: 0, burstPeriods: 0, burstNanoseconds: 0 };
  const cpu = { usageNanoseconds, userNanoseconds: 0, systemNanoseconds: 0, throttling, psi: undefined };
  return { path: '/a', timeMs, cpu, memory: undefined };
}

describe('rates of CPU usage', () => {
  it('come with the second sample, and span at least a second', () => {
    const rates = createCgroupRates();
    expect(rates.update(sampleAt(0, 0))).toBeUndefined();
    expect(rates.update(sampleAt(500, 1e9))).toBeUndefined();
    expect(rates.update(sampleAt(10_000, 5e9))).toBe(5e8);
    expect(rates.update(sampleAt(10_100, 9e9))).toBe(5e8);
    expect(rates.update(sampleAt(12_000, 5e9))).toBe(0);
  });

  it('begin anew when the counter or the clock goes back', () => {
    const rates = createCgroupRates();
    rates.update(sampleAt(0, 5e9));
    expect(rates.update(sampleAt(2000, 1e9))).toBeUndefined();
    expect(rates.update(sampleAt(4000, 3e9))).toBe(1e9);
    expect(rates.update(sampleAt(1000, 4e9))).toBeUndefined();
  });

  it('expire after ten minutes', () => {
    const rates = createCgroupRates();
    rates.update(sampleAt(0, 0));
    rates.collectGarbage(10 * 60_000 + 1);
    expect(rates.update(sampleAt(10 * 60_000 + 2, 1e9))).toBeUndefined();
  });
});
