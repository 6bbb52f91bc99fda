import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { systemClock } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createDiskBench, type DiskBench, isRoot } from '../test-support.ts';

/** Time for which links are raced; a minute in a thorough run. */
const RACE_MS = Number(process.env['RXLET_TEST_RACE_MS'] ?? 700);
const GRACE_MS = 20_000;

const volumeOf = ({ root }: DiskBench): string => `${root}/pods/u/volumes/kubernetes.io~empty-dir/data`;
const outsideOf = ({ directory }: DiskBench): string => `${directory}/outside`;
const request = (bench: DiskBench, subPath: string, mountIndex = 0) => ({
  podUid: 'u',
  containerName: 'app',
  mountIndex,
  innerVolumeSpecName: 'data',
  volumePath: volumeOf(bench),
  subPath,
});

async function createVolume(): Promise<DiskBench> {
  const bench = await createDiskBench();
  await mkdir(`${volumeOf(bench)}/dir/sub`, { recursive: true });
  await writeFile(`${volumeOf(bench)}/dir/file`, 'inside');
  await mkdir(outsideOf(bench));
  await writeFile(`${outsideOf(bench)}/file`, 'outside');
  return bench;
}

describe.runIf(isRoot)('sub paths on disk', () => {
  it('bind directories and files, once', async () => {
    await using bench = await createVolume();
    const directory = await bench.subPaths.prepare(request(bench, 'dir'));
    const file = await bench.subPaths.prepare(request(bench, './dir//file', 1));
    const whole = await bench.subPaths.prepare(request(bench, '.', 2));
    expect(directory).toBe(`${bench.root}/pods/u/volume-subpaths/data/app/0`);
    expect(await readFile(`${directory}/file`, 'utf8')).toBe('inside');
    expect(await readFile(file, 'utf8')).toBe('inside');
    expect(await readFile(`${whole}/dir/file`, 'utf8')).toBe('inside');
    // Not those of other programs on the node.
    const mounts = async () => (await bench.context.mounter.mounts()).within(bench.directory);
    const before = (await mounts()).length;
    expect(await bench.subPaths.prepare(request(bench, 'dir'))).toBe(directory);
    expect(await mounts()).toHaveLength(before);
    // Another sub path for the same mount, as after an update of the pod.
    await bench.subPaths.prepare(request(bench, 'dir/file'));
    expect(await readFile(directory, 'utf8')).toBe('inside');

    await bench.subPaths.clean('u', 'data');
    await bench.subPaths.clean('u', 'data');
    await expect(lstat(`${bench.root}/pods/u/volume-subpaths`)).rejects.toThrow('ENOENT');
    expect(await readFile(`${volumeOf(bench)}/dir/file`, 'utf8')).toBe('inside');
  });

  it('follow links within the volume', async () => {
    await using bench = await createVolume();
    await symlink('dir/sub/..', `${volumeOf(bench)}/relative`);
    await symlink(`${volumeOf(bench)}/dir`, `${volumeOf(bench)}/absolute`);
    for (const [index, name] of ['relative', 'absolute'].entries()) {
      const path = await bench.subPaths.prepare(request(bench, `${name}/file`, index));
      expect(await readFile(path, 'utf8')).toBe('inside');
    }
  });

  it.each(['link', 'link/file', 'dir/up', 'dir/sub/../../..', 'absolute', 'circle'])(
    'reject %s, which leads out or nowhere',
    async (subPath) => {
      await using bench = await createVolume();
      const volume = volumeOf(bench);
      await symlink(outsideOf(bench), `${volume}/link`);
      await symlink('../..', `${volume}/dir/up`);
      await symlink('/etc', `${volume}/absolute`);
      await symlink('circle', `${volume}/circle`);
      await expect(bench.subPaths.prepare(request(bench, subPath))).rejects.toThrow(/subpath|not within|too many/);
      await expect(bench.subPaths.make(volume, `${subPath}/new`, 0o755)).rejects.toThrow();
      await expect(stat(`${outsideOf(bench)}/new`)).rejects.toThrow('ENOENT');
      expect((await bench.context.mounter.mounts()).within(bench.root)).toEqual([]);
    },
  );

  it('create missing parents with the mode of the volume', async () => {
    await using bench = await createVolume();
    await bench.subPaths.make(volumeOf(bench), 'new/a/b', 0o770);
    await bench.subPaths.make(volumeOf(bench), 'new/a/b', 0o700);
    for (const path of ['new', 'new/a', 'new/a/b'])
      expect((await stat(`${volumeOf(bench)}/${path}`)).mode & 0o7777).toBe(0o770);
    await chmod(volumeOf(bench), 0o2770);
    await bench.subPaths.make(volumeOf(bench), 'group', 0o770);
    expect((await stat(`${volumeOf(bench)}/group`)).mode & 0o7777).toBe(0o2770);
    await expect(bench.subPaths.make(volumeOf(bench), 'dir/file', 0o755)).rejects.toThrow('not a directory');
    await expect(bench.subPaths.make(volumeOf(bench), 'dir/file/below', 0o755)).rejects.toThrow();
  });

  it('reject names that would leave the directory of the pod', async () => {
    await using bench = await createVolume();
    for (const change of [{ containerName: '..' }, { innerVolumeSpecName: 'a/b' }, { containerName: '' }])
      await expect(bench.subPaths.prepare({ ...request(bench, 'dir'), ...change })).rejects.toThrow('is not a name');
  });

  it('never show what is outside while links are swapped', { timeout: RACE_MS + 2 * GRACE_MS }, async () => {
    await using bench = await createVolume();
    const volume = volumeOf(bench);
    await symlink(outsideOf(bench), `${volume}/link`);
    // A container that replaces the directory by the link and back as fast as it can. In between, the directory may have been created again.
    const script = `const { renameSync: r, rmSync } = require('fs'); process.chdir(${JSON.stringify(volume)}); console.log('runs');
      const attempt = (work) => { try { work(); return true; } catch { return false; } };
      for (;;) {
        if (attempt(() => { r('dir', 'kept'); r('link', 'dir'); r('dir', 'link'); r('kept', 'dir'); })) continue;
        while (!attempt(() => { rmSync('dir', { recursive: true, force: true }); r('kept', 'dir'); }));
      }`;
    const attacker = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(attacker.stdout, 'data');
      const end = systemClock.monotonicNow() + RACE_MS;
      const seen = new Map<string, number>();
      const count = (outcome: string): void => void seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      let isRaced = false;
      // On a busy machine, it takes longer until both programs run at the same moment.
      const isOver = (): boolean => systemClock.monotonicNow() > end + (isRaced ? 0 : GRACE_MS);
      for (let index = 0; !isOver(); index += 1) {
        isRaced ||= (await readFile(`${volume}/dir/file`, 'utf8').catch(() => '')) === 'outside';
        try {
          const path = await bench.subPaths.prepare(request(bench, 'dir/file', index % 3));
          count(await readFile(path, 'utf8'));
        } catch {
          count('rejected');
        }
        await bench.subPaths.make(volume, `dir/made-${String(index % 50)}`, 0o755).catch(() => undefined);
        if (index % 3 === 2) await bench.subPaths.clean('u', 'data');
      }
      // The path itself does lead out at times.
      expect([attacker.exitCode, isRaced]).toEqual([null, true]);
      expect([...seen.keys()].toSorted()).toEqual(['inside', 'rejected']);
      expect(await readdir(outsideOf(bench))).toEqual(['file']);
    } finally {
      if (attacker.exitCode === null && attacker.kill('SIGKILL')) await once(attacker, 'exit');
    }
  });
});
