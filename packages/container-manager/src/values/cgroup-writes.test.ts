import { describe, expect, it } from 'vitest';
import { cgroupWrites, sharesToWeight, weightToShares } from './cgroup-writes.ts';

const hugePageSizes = [{ bytes: '2097152', name: '2MB' }];
const contents = (version: 1 | 2, values: Parameters<typeof cgroupWrites>[0]): string[] =>
  cgroupWrites(values, { version, hugePageSizes }).map(({ file, content }) => `${file}=${content}`);

describe('cgroupWrites', () => {
  it('writes nothing for absent values', () => {
    expect(contents(1, {})).toEqual([]);
    expect(contents(2, {})).toEqual([]);
  });

  it('sets the period before the quota, which the kernel checks against it', () => {
    expect(contents(1, { cpuQuotaUs: 5000, cpuPeriodUs: 10_000 })).toEqual([
      'cpu.cfs_period_us=10000',
      'cpu.cfs_quota_us=5000',
    ]);
    expect(contents(2, { cpuQuotaUs: 5000, cpuPeriodUs: 10_000 })).toEqual(['cpu.max=5000 10000']);
  });

  it('removes limits', () => {
    const none = { cpuQuotaUs: -1, cpuPeriodUs: 100_000, memoryLimitBytes: -1, pidsLimit: -1 };
    expect(contents(1, none)).toEqual([
      'cpu.cfs_period_us=100000',
      'cpu.cfs_quota_us=-1',
      'memory.limit_in_bytes=-1',
      'pids.max=max',
    ]);
    expect(contents(2, none)).toEqual(['cpu.max=max 100000', 'memory.max=max', 'pids.max=max']);
  });

  it('forbids the huge pages that are not requested', () => {
    expect(contents(2, { hugePageLimits: {} })).toEqual(['hugetlb.2MB.max=0', 'hugetlb.2MB.rsvd.max=0']);
    expect(contents(1, { hugePageLimits: 'unlimited' })[0]).toBe('hugetlb.2MB.limit_in_bytes=4611686018427387904');
  });
});

describe('weights', () => {
  it.each([
    [2, 1],
    [1024, 39],
    [262_144, 10_000],
    [1_000_000, 10_000],
    [0, 1],
  ])('%i shares are weight %i', (shares, weight) => {
    expect(sharesToWeight(shares)).toBe(weight);
  });

  it('approximate the shares that they came from', () => {
    expect(weightToShares(1)).toBe(2);
    expect(weightToShares(10_000)).toBe(262_144);
    expect(weightToShares(sharesToWeight(1024))).toBe(998);
  });
});
