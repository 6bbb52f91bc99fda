import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliCpuToQuota, milliCpuToShares, quotaToMilliCpu, sharesToMilliCpu } from './linux-resources.ts';

describe('cpu.shares', () => {
  it('stay within the kernel’s range', () => {
    expect([0, 1, 2, 1000, 256_000, 1_000_000].map(milliCpuToShares)).toEqual([2, 2, 2, 1024, 262_144, 262_144]);
  });

  it('convert back to the request', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 256_000 }), (millis) => {
        expect(sharesToMilliCpu(milliCpuToShares(millis))).toBe(millis);
      }),
      { seed: 1 },
    );
    expect(sharesToMilliCpu(0)).toBe(0);
  });
});

describe('CFS quota', () => {
  it('is a share of the period, at least a millisecond', () => {
    expect([0, 1, 10, 2500].map((millis) => milliCpuToQuota(millis))).toEqual([0, 1000, 1000, 250_000]);
    expect(milliCpuToQuota(500, 20_000)).toBe(10_000);
  });

  it('converts back to the limit, and no quota to 0', () => {
    expect(quotaToMilliCpu(250_000, 100_000)).toBe(2500);
    expect(quotaToMilliCpu(-1, 100_000)).toBe(0);
    expect(quotaToMilliCpu(0, 100_000)).toBe(0);
    expect(quotaToMilliCpu(1000, 0)).toBe(0);
  });
});
