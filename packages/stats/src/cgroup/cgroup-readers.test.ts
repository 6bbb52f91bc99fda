import { parseCgroupMounts } from '@rxlet/machine';
import { describe, expect, it } from 'vitest';
import { cgroupTwo, inDirectory, MACHINE, memoryKernelFiles, VERSION_TWO } from '../test-support.ts';
import { workingSetBytes } from './cgroup-sample.ts';
import { openCgroupReader } from './open-reader.ts';
import { versionOneReader } from './version-one-reader.ts';

const PRESSURE =
  'some avg10=1.50 avg60=0.25 avg300=0.00 total=12345\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=678\n';

describe('cgroup v2', () => {
  const files = memoryKernelFiles({
    ...VERSION_TWO,
    ...MACHINE,
    ...inDirectory('/sys/fs/cgroup', { 'cpu.stat': 'usage_usec 9\n', 'memory.stat': 'anon 300\nfile 500\n' }),
    ...inDirectory(
      '/sys/fs/cgroup/a',
      cgroupTwo(1000, 900, {
        'memory.max': '4096\n',
        'memory.swap.max': '100\n',
        'memory.min': '0\n',
        'memory.peak': '1000\n',
        'memory.events': 'low 0\nmax 7\noom 1\noom_kill 2\n',
        'cpu.weight': '100\n',
        'cpu.max': '50000 100000\n',
        'pids.current': '4\n',
        'pids.max': 'max\n',
        'cgroup.procs': '12\n34\n',
        'cgroup.events': 'populated 1\n',
        'cpu.pressure': PRESSURE,
        'memory.pressure': PRESSURE,
        'io.pressure': PRESSURE,
        'io.stat': '8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n',
      }),
    ),
    '/sys/fs/cgroup/a/b.slice/cpu.stat': '',
  });
  const reader = openCgroupReader(files)!;

  it('reads CPU, memory and pressure', () => {
    const sample = reader.sample('/a', 5)!;
    expect(sample.cpu).toMatchObject({
      usageNanoseconds: 1e6,
      userNanoseconds: 6e5,
      systemNanoseconds: 4e5,
      throttling: {
        periods: 5,
        throttledPeriods: 2,
        throttledNanoseconds: 30_000,
        burstPeriods: 1,
        burstNanoseconds: 4000,
      },
      psi: { some: { avg10: 1.5, avg60: 0.25, avg300: 0, total: 12_345 }, full: { avg10: 0.5, total: 678 } },
    });
    expect(sample.memory).toMatchObject({ usageBytes: 900, rssBytes: 300, cacheBytes: 500, swapBytes: 8 });
    expect(sample.memory).toMatchObject({ limitBytes: 4096, swapLimitBytes: 100, pageFaults: 11, majorPageFaults: 3 });
    expect(workingSetBytes(sample.memory!)).toBe(700);
    expect(reader.ioPressure('/a')?.full.total).toBe(678);
  });

  it('reads settings, counts of failures and devices', () => {
    expect(reader.details('/a')).toEqual({
      createdMs: 1000,
      cpuShares: 2597,
      cpuQuotaUs: 50_000,
      cpuPeriodUs: 100_000,
      memoryMaxUsageBytes: 1000,
      memoryFailures: 7,
      memoryReservationBytes: 0,
      kernelMemoryBytes: 20,
      outOfMemoryKills: 2,
      threads: 4,
      threadsMax: undefined,
      devices: new Map([
        [
          '8:0',
          {
            bytes: new Map(Object.entries({ Read: 4096, Write: 8192, Discard: 0 })),
            operations: new Map(Object.entries({ Read: 1, Write: 2, Discard: 0 })),
            ...{ merged: new Map(), queued: new Map(), nanoseconds: new Map() },
          },
        ],
      ]),
    });
    expect(reader.processes('/a')).toEqual([12, 34]);
  });

  it('counts the memory of the root, which has no amount of its own', () => {
    expect(reader.sample('/', 0)?.memory).toMatchObject({ usageBytes: 800, swapBytes: 60 * 1024 });
  });

  it('finds the cgroups among the files', async () => {
    expect(await reader.children('/a')).toEqual(['/a/b.slice']);
    expect(reader.sample('/none', 0)).toBeUndefined();
  });
});

describe('cgroup v1', () => {
  const mounts = ['cpu', 'cpuacct', 'memory', 'pids', 'blkio'].map((it) => `cgroup /cg/${it} cgroup rw,${it} 0 0`);
  const files = memoryKernelFiles({
    '/proc/self/mounts': mounts.join('\n'),
    ...inDirectory('/cg/cpuacct/k', { 'cpuacct.usage': '1234567890\n', 'cpuacct.stat': 'user 70\nsystem 30\n' }),
    ...inDirectory('/cg/cpu/k', {
      'cpu.stat': 'nr_periods 5\nnr_throttled 2\nthrottled_time 30\n',
      'cpu.shares': '512\n',
      'cpu.cfs_quota_us': '-1\n',
      'cpu.cfs_period_us': '100000\n',
      'cgroup.procs': '7\n',
      tasks: '7\n',
      'podx/cpu.stat': '',
    }),
    ...inDirectory('/cg/memory/k', {
      'memory.usage_in_bytes': '1000\n',
      'memory.limit_in_bytes': '9223372036854771712\n',
      'memory.stat': 'pgfault 3\npgmajfault 1\ntotal_cache 400\ntotal_rss 500\ntotal_inactive_file 100\n',
      'memory.memsw.limit_in_bytes': '2048\n',
      'memory.oom_control': 'oom_kill_disable 0\noom_kill 4\n',
    }),
    ...inDirectory('/cg/blkio/k', {
      'blkio.throttle.io_service_bytes_recursive': '8:0 Read 1\n8:0 Write 2\n8:0 Total 3\nTotal 3\n',
      'blkio.throttle.io_serviced_recursive': '8:0 Read 4\n8:0 Write 5\n',
    }),
  });

  it('reads the same from its controllers', async () => {
    const reader = openCgroupReader(files)!;
    const sample = reader.sample('/k', 5)!;
    expect(sample.cpu).toMatchObject({ usageNanoseconds: 1_234_567_890, userNanoseconds: 7e8, psi: undefined });
    expect(sample.memory).toMatchObject({
      usageBytes: 1000,
      rssBytes: 500,
      limitBytes: undefined,
      swapLimitBytes: 2048,
    });
    expect(reader.details('/k')).toMatchObject({ cpuShares: 512, cpuQuotaUs: undefined, outOfMemoryKills: 4 });
    expect(reader.details('/k').devices.get('8:0')).toMatchObject({
      bytes: new Map(Object.entries({ Read: 1, Write: 2, Total: 3 })),
      operations: new Map(Object.entries({ Read: 4, Write: 5 })),
    });
    expect(await reader.children('/k')).toEqual(['/k/podx']);
    expect(reader.hasIo).toBe(true);
  });

  it('leaves out what has no controller', () => {
    const { hierarchies } = parseCgroupMounts('cgroup /cg/memory cgroup rw,memory 0 0');
    const sample = versionOneReader(files, { hierarchies }).sample('/k', 0);
    expect(sample?.cpu).toBeUndefined();
    expect(sample?.memory?.usageBytes).toBe(1000);
  });
});

it('a node without cgroups has no reader', () => {
  expect(openCgroupReader(memoryKernelFiles({ '/proc/self/mounts': 'proc /proc proc rw 0 0\n' }))).toBeUndefined();
});
