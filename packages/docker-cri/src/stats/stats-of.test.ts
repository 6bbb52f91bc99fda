import { describe, expect, it } from 'vitest';
import { networkUsage } from './network-usage.ts';
import { cpuAndMemory, nanoCoresBetween, sumOf, usageOf } from './stats-of.ts';

const stats = (memory: Record<string, number>) => ({
  read: '2026-11-22T12:00:00.5Z',
  pids_stats: { current: 2 },
  cpu_stats: { cpu_usage: { total_usage: 1000 } },
  memory_stats: { usage: 500, limit: 1000, stats: memory },
});

describe('statistics', () => {
  it.each([
    ['v1', { total_inactive_file: 100, inactive_file: 1, total_rss: 50, total_pgfault: 7, total_pgmajfault: 1 }],
    ['v2', { inactive_file: 100, anon: 50, pgfault: 7, pgmajfault: 1 }],
  ])('reads cgroup %s', (_version, memory) => {
    const usage = usageOf(stats(memory));
    expect(usage).toMatchObject({
      workingSetBytes: 400n,
      rssBytes: 50n,
      pageFaults: 7n,
      majorPageFaults: 1n,
      processes: 2n,
    });
    expect(usage.timestamp % 1_000_000_000n).toBe(500_000_000n);
    expect(cpuAndMemory(usage, 5n)).toMatchObject({
      cpu: { usageCoreNanoSeconds: { value: 1000n }, usageNanoCores: { value: 5n } },
      memory: { availableBytes: { value: 600n } },
    });
  });

  it('never have a negative working set', () => {
    expect(usageOf(stats({ inactive_file: 600 })).workingSetBytes).toBe(0n);
  });

  it('adds up the containers of a pod', () => {
    const usage = usageOf(stats({}));
    expect(sumOf([usage, usage])).toMatchObject({
      cpuNanoSeconds: 2000n,
      memoryBytes: 1000n,
      timestamp: usage.timestamp,
    });
    expect(sumOf([])).toBeUndefined();
  });

  it('computes a rate between two samples', () => {
    const at = (timestamp: bigint, cpuNanoSeconds: bigint) => ({ timestamp, cpuNanoSeconds });
    expect(nanoCoresBetween(at(0n, 0n), at(2_000_000_000n, 1_000_000_000n))).toBe(500_000_000n);
    expect(nanoCoresBetween(at(1n, 0n), at(1n, 5n))).toBeUndefined();
    expect(nanoCoresBetween(at(0n, 9n), at(1n, 5n))).toBeUndefined();
  });
});

it("reads the interfaces of a pod from the kernel's table", () => {
  const text = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0',
    '  eth1:       5       1    0    0    0     0          0         0        6       1    0    0    0     0       0          0',
    '  eth0:    1000      10    2    0    0     0          0         0     2000      20    3    0    0     0       0          0',
    '',
  ].join('\n');
  expect(networkUsage(text, 1n)).toEqual({
    timestamp: 1n,
    defaultInterface: {
      name: 'eth0',
      rxBytes: { value: 1000n },
      rxErrors: { value: 2n },
      txBytes: { value: 2000n },
      txErrors: { value: 3n },
    },
    interfaces: [expect.objectContaining({ name: 'eth1' })],
  });
});
