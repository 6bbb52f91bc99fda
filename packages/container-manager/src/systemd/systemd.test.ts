import { describe, expect, it } from 'vitest';
import { systemctlSlices } from './host-slices.ts';
import { sliceProperties } from './slice-properties.ts';

describe('sliceProperties', () => {
  const limits = { cpuQuotaUs: 12_345, cpuPeriodUs: 100_000, memoryLimitBytes: 64 * 2 ** 20, pidsLimit: 100 };

  it('has the values in the words of systemd for cgroup v2', () => {
    const values = { ...limits, cpuShares: 1024, cpus: '0-3', memoryLowBytes: 1024, hugePageLimits: { 2097152: 0 } };
    expect(sliceProperties(values, 2)).toEqual([
      'CPUAccounting=yes',
      'MemoryAccounting=yes',
      'TasksAccounting=yes',
      'CPUWeight=39',
      'CPUQuotaPeriodSec=100000us',
      'CPUQuota=12.35%',
      'MemoryMax=67108864',
      'TasksMax=100',
      'AllowedCPUs=0-3',
      'MemoryLow=1024',
    ]);
  });

  it('has the values for cgroup v1', () => {
    expect(sliceProperties({ ...limits, cpuShares: 1024, cpus: '0-3' }, 1)).toEqual([
      'CPUAccounting=yes',
      'MemoryAccounting=yes',
      'TasksAccounting=yes',
      'CPUShares=1024',
      'CPUQuotaPeriodSec=100000us',
      'CPUQuota=12.35%',
      'MemoryLimit=67108864',
      'TasksMax=100',
    ]);
  });

  it('removes limits', () => {
    const properties = sliceProperties(
      { cpuQuotaUs: -1, cpuPeriodUs: 100_000, memoryLimitBytes: -1, pidsLimit: -1 },
      2,
    );
    expect(properties).toEqual(expect.arrayContaining(['CPUQuota=', 'MemoryMax=infinity', 'TasksMax=infinity']));
  });
});

describe('systemctlSlices', () => {
  it('calls systemctl so that no name is an option', async () => {
    const calls: string[] = [];
    const slices = systemctlSlices(async (args) => void calls.push(args.join(' ')));
    await slices.start('kubepods.slice');
    await slices.setProperties('kubepods-burstable.slice', ['CPUWeight=39']);
    await slices.stop('kubepods-burstable-pod1_2.slice');
    expect(calls).toEqual([
      'start -- kubepods.slice',
      'set-property --runtime -- kubepods-burstable.slice CPUWeight=39',
      'stop -- kubepods-burstable-pod1_2.slice',
    ]);
    for (const name of ['-x.slice', 'a*.slice', 'a/b.slice', 'sshd.service', 'a b.slice'])
      await expect(slices.stop(name)).rejects.toThrow('invalid name of a slice');
  });
});
