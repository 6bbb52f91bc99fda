import { totalmem } from 'node:os';
import { createHostFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createHostMachine } from './host-machine.ts';
import { countCpus } from './parse-kernel-files.ts';

describe('createHostMachine', () => {
  const machine = createHostMachine(createHostFiles());

  it('reads the machine that the test runs on', async () => {
    const facts = await machine.facts();
    expect(facts.memoryBytes).toBe(totalmem());
    expect(facts.cores).toBeGreaterThanOrEqual(1);
    expect(countCpus(facts.cpus)).toBe(facts.cores);
    expect(facts.maxProcesses).toBeGreaterThan(1);
    expect(facts.bootId).toMatch(/^[\da-f-]{36}$/);
    expect(facts.osImage).not.toBe('');
    expect(facts.architecture).toMatch(/^[a-z0-9]+$/);
  });

  it('finds the loopback address', async () => {
    expect((await machine.addresses()).hostIps).toContain('127.0.0.1');
  });

  it('has the size of the file system of a directory that does not exist yet', async () => {
    const bytes = await machine.fileSystemBytes('/');
    expect(bytes).toBeGreaterThan(0);
    expect(await machine.fileSystemBytes('/does/not/exist')).toBe(bytes);
  });

  it('takes its facts from the files of the kernel', async () => {
    const huge = '/sys/kernel/mm/hugepages';
    const { hostFiles } = createMemoryFiles({
      files: {
        '/sys/devices/system/cpu/online': '0-1,5\n',
        '/proc/meminfo': 'MemTotal:       8388608 kB\nSwapTotal:      1024 kB\n',
        '/proc/sys/kernel/pid_max': '4194304\n',
        '/proc/sys/kernel/threads-max': '30000\n',
        '/etc/machine-id': 'abc\n',
        [`${huge}/hugepages-2048kB/nr_hugepages`]: '3\n',
        [`${huge}/hugepages-1048576kB/nr_hugepages`]: '1\n',
        [`${huge}/hugepages-64kB/nr_hugepages`]: '0\n',
        [`${huge}/other/nr_hugepages`]: '5\n',
      },
    });
    expect(await createHostMachine(hostFiles).facts()).toMatchObject({
      cpus: '0-1,5',
      cores: 3,
      memoryBytes: 8 * 1024 ** 3,
      swapBytes: 1024 ** 2,
      maxProcesses: 30_000,
      machineId: 'abc',
      systemUuid: 'abc',
      osImage: 'Unknown',
      hugePages: [
        { sizeBytes: 64 * 1024, count: 0 },
        { sizeBytes: 2 * 1024 ** 2, count: 3 },
        { sizeBytes: 1024 ** 3, count: 1 },
      ],
    });
  });
});
