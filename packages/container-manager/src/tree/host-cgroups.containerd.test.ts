import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import { parseCgroupMounts } from '@rxlet/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostProcesses } from '../system/host-processes.ts';
import { CgroupsUnavailable } from './cgroup-file-system.ts';
import { openHostCgroups } from './host-cgroups.ts';
import { removeTree } from './remove-tree.ts';
import { versionTwoCgroups } from './version-two-cgroups.ts';

const mounts = parseCgroupMounts(readFileSync('/proc/self/mounts', 'utf8'));
const isRoot = process.getuid?.() === 0;
const hugePageSizes = [{ bytes: '2097152', name: '2MB' }];

// With the kernel's own files, which no directory of a test behaves like.
describe.skipIf(!isRoot || !mounts.hierarchies.has('memory'))('cgroup v1 of this machine', () => {
  const path = `/rxlet-test-v1-${String(process.pid)}`;

  it('is created in all hierarchies, holds values and processes, and is removed with them', async () => {
    const cgroups = await openHostCgroups();
    expect(cgroups.format.version).toBe(1);
    const nested = `${path}/a/b`;
    expect(await cgroups.exists(nested)).toBe(false);
    await cgroups.create(nested);
    await cgroups.create(nested);
    expect(await cgroups.exists(nested)).toBe(true);
    expect(await cgroups.read(nested, 'cpuset', 'cpuset.cpus')).toBe(await cgroups.read('/', 'cpuset', 'cpuset.cpus'));
    await cgroups.write(nested, { controller: 'cpu', file: 'cpu.shares', content: '512' });
    expect(await cgroups.read(nested, 'cpu', 'cpu.shares')).toBe('512');
    await expect(cgroups.write(path, { controller: 'cpu', file: 'cpu.none', content: '1' })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await cgroups.children(path)).toEqual(['a']);

    const stray = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const ended = once(stray, 'exit');
    expect(await cgroups.processes('/')).toContain(stray.pid);
    await cgroups.addProcess(nested, stray.pid!);
    expect(await cgroups.processes(nested)).toEqual([stray.pid]);
    expect(await hostProcesses.cgroupOf(stray.pid!)).toBe(nested);
    expect(await hostProcesses.isKernelThread(stray.pid!)).toBe(false);
    await expect(cgroups.remove(nested)).rejects.toMatchObject({ code: 'EBUSY' });
    await removeTree(cgroups, path, { clock: systemClock });
    expect(await ended).toEqual([null, 'SIGKILL']);
    await cgroups.create(path);
    await cgroups.addProcess(path, stray.pid!);
    await cgroups.remove(path);
    expect(await cgroups.exists(path)).toBe(false);
    expect(await cgroups.read(path, 'cpu', 'cpu.shares')).toBeUndefined();
    await removeTree(cgroups, path, { clock: systemClock });
  });
});

describe.skipIf(!isRoot || mounts.unified === undefined)('cgroup v2 of this machine', () => {
  const path = `/rxlet-test-v2-${String(process.pid)}`;

  it('gives its controllers to nested cgroups, and kills what is left in them', async () => {
    const cgroups = await versionTwoCgroups(mounts.unified, hugePageSizes);
    await cgroups.create(`${path}/a`);
    expect(await cgroups.exists(`${path}/a`)).toBe(true);
    if (cgroups.controllers.has('hugetlb')) {
      const file = 'hugetlb.2MB.max';
      await cgroups.write(`${path}/a`, { controller: 'hugetlb', file, content: '4194304' });
      expect(await cgroups.read(`${path}/a`, 'hugetlb', file)).toBe('4194304');
    }
    const stray = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const ended = once(stray, 'exit');
    await cgroups.addProcess(`${path}/a`, stray.pid!);
    expect(await cgroups.processes(`${path}/a`)).toEqual([stray.pid]);
    await removeTree(cgroups, path, { clock: systemClock });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await cgroups.children(path)).toEqual([]);
  });
});

describe('a machine without cgroups', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rxlet-cgroups-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is reported as such', async () => {
    const table = join(folder, 'mounts');
    await expect(openHostCgroups({ mounts: table })).rejects.toThrow(CgroupsUnavailable);
    writeFileSync(table, 'proc /proc proc rw 0 0\n');
    await expect(openHostCgroups({ mounts: table })).rejects.toThrow('no cgroup file system is mounted');
    writeFileSync(table, `cgroup ${folder} cgroup rw,memory 0 0\n`);
    await expect(openHostCgroups({ mounts: table })).rejects.toThrow('cgroup controllers are missing: cpu, cpuset');
    writeFileSync(table, `cgroup2 ${folder}/none cgroup2 rw 0 0\n`);
    await expect(openHostCgroups({ mounts: table })).rejects.toThrow('cannot create cgroups: ENOENT');
  });
});
