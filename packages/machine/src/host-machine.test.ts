import { execFileSync, spawnSync } from 'node:child_process';
import { networkInterfaces, totalmem } from 'node:os';
import { createHostFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it, vi } from 'vitest';
import { createHostMachine } from './host-machine.ts';
import { countCpus } from './parse-kernel-files.ts';

const probe = `rxletp${String(process.pid % 1e6)}`;
/** Whether this process may create network interfaces. */
const canMakeBridges =
  process.geteuid?.() === 0 &&
  spawnSync('ip', ['link', 'add', probe, 'type', 'bridge']).status === 0 &&
  spawnSync('ip', ['link', 'delete', probe]).status === 0;

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

  it.runIf(canMakeBridges)('finds the addresses of a bridge without ports and without carrier', async () => {
    const name = `rxlet${String(process.pid % 1e6)}`;
    const run = (...args: string[]): void => void execFileSync('ip', args);
    run('link', 'add', name, 'type', 'bridge');
    try {
      run('address', 'add', '198.51.100.77/32', 'dev', name);
      run('address', 'add', '2001:db8::77/128', 'dev', name, 'nodad');
      run('link', 'set', name, 'up');
      // A new bridge has a carrier on some kernels, until it loses its last port.
      run('link', 'add', `${name}a`, 'type', 'veth', 'peer', 'name', `${name}b`);
      run('link', 'set', `${name}a`, 'master', name, 'up');
      run('link', 'delete', `${name}a`);
      await vi.waitUntil(() => networkInterfaces()[name] === undefined, 20_000);
      const { hostIps } = await machine.addresses();
      expect(hostIps).toContain('198.51.100.77');
      expect(hostIps).toContain('2001:db8::77');
    } finally {
      run('link', 'delete', name);
    }
  });

  it('takes the address of a default route from the files of the kernel where Node.js does not know the interface', async () => {
    const { hostFiles } = createMemoryFiles({
      files: {
        '/proc/net/route':
          'Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n' +
          'none0 00000000 00000000 0003 0 0 0 00000000 0 0 0\nnone0 00000000 00000000 0001 0 0 0 000000FF 0 0 0\n',
        '/proc/net/ipv6_route': `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 ${'0'.repeat(31)}1 00000400 00000001 00000000 00000003 none0\n`,
        '/proc/net/fib_trie': 'Local:\n  |-- 0.0.0.9\n     /32 host LOCAL\n',
        '/proc/net/if_inet6': '20010db8000000000000000000000077 1b 40 00 82 none0\n',
      },
    });
    const { hostIps, defaultRouteIps } = await createHostMachine(hostFiles).addresses();
    expect(defaultRouteIps).toEqual({ v4: '0.0.0.9', v6: '2001:db8::77' });
    expect(hostIps).toEqual(expect.arrayContaining(['0.0.0.9', '2001:db8::77']));
  });

  it('has the size of the file system of a directory that does not exist yet', async () => {
    const bytes = await machine.fileSystemBytes('/');
    expect(bytes).toBeGreaterThan(0);
    expect(await machine.fileSystemBytes('/does/not/exist')).toBe(bytes);
  });

  it.each(['system-id', 'vm,uuid'])(
    'takes the UUID of a machine without DMI from %s of the device tree',
    async (name) => {
      const { hostFiles } = createMemoryFiles({ files: { [`/proc/device-tree/${name}`]: 'b1c2\0' } });
      expect((await createHostMachine(hostFiles).facts()).systemUuid).toBe('b1c2');
    },
  );

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
