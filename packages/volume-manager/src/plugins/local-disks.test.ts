import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import type { Pod } from '@rxlet/kube-api';
import { expect, it } from 'vitest';
import { createDiskBench, isRoot } from '../test-support.ts';
import { localPlugin } from './local.ts';

const { signal } = new AbortController();
const PROGRAMS = ['losetup', 'blkid', 'mkfs.ext4', 'mkswap', 'resize2fs', 'debugfs', 'dumpe2fs'].map(
  (name) => `/usr/sbin/${name}`,
);
const canUseDisks = isRoot && existsSync('/dev/loop-control') && PROGRAMS.every((path) => existsSync(path));
const MIB = 1 << 20;

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Returns a table with one partition of 20480 sectors. */
function partitionTable(): Buffer {
  const table = Buffer.alloc(512);
  table[450] = 0x83;
  table.writeUInt32LE(2_048, 454);
  table.writeUInt32LE(20_480, 458);
  table.set([0x55, 0xaa], 510);
  return table;
}

/** A disk of 16 MiB, and volumes on it by the UID of their pod. */
async function createBenchWithDisk() {
  const stack = new AsyncDisposableStack();
  const bench = stack.use(await createDiskBench());
  const image = `${bench.directory}/disk.img`;
  await writeFile(image, '');
  await truncate(image, 16 * MIB);
  const device = run('losetup', '--find', '--show', image);
  stack.defer(() => void run('losetup', '--detach', device));
  stack.defer(() => bench.context.mounts.unmountAll(bench.root));
  const plugin = localPlugin(bench.context);
  const volumeOf = (uid: string, { readOnly = false, fsType = 'ext4' } = {}) => {
    const pod: Pod = { metadata: { uid }, spec: { containers: [], securityContext: { fsGroup: 2000 } } };
    const persistent = { podVolumeName: 'data', readOnly, mountOptions: ['noatime'], spec: {} };
    const volume = plugin.volume({ name: 'pv1', local: { path: device, fsType }, persistent }, pod);
    return { ...volume, tearDown: () => plugin.tearDown(uid, 'pv1', signal) };
  };
  return { ...bench, image, device, volumeOf, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

it.runIf(canUseDisks)('an empty disk gets a file system, whose content stays', async () => {
  await using bench = await createBenchWithDisk();
  const first = bench.volumeOf('u');
  await first.setUp(signal);
  await first.setUp(signal);
  await writeFile(`${first.hostPath}/file`, 'kept');
  const mount = await bench.context.mounts.at(first.hostPath);
  expect([mount?.fsType, mount?.source, mount?.options.includes('noatime')]).toEqual(['ext4', bench.device, true]);
  expect((await stat(first.hostPath)).gid).toBe(2000);

  const second = bench.volumeOf('v');
  await second.setUp(signal);
  await first.tearDown();
  expect(await readFile(`${second.hostPath}/file`, 'utf8')).toBe('kept');
  await second.tearDown();
  expect((await bench.context.mounter.mounts()).within(bench.root)).toEqual([]);
  expect(existsSync(`${bench.root}/plugins/kubernetes.io/local-volume/mounts/pv1`)).toBe(false);

  const third = bench.volumeOf('w', { readOnly: true });
  await third.setUp(signal);
  expect(await readFile(`${third.hostPath}/file`, 'utf8')).toBe('kept');
  await expect(writeFile(`${third.hostPath}/file`, 'changed')).rejects.toThrow('EROFS');
  await third.tearDown();
});

// Before it is mounted, since the kernel lets only some containers grow a mounted one.
it.runIf(canUseDisks)('a file system grows with its disk', async () => {
  await using bench = await createBenchWithDisk();
  const { fileSystems } = bench.context;
  await fileSystems.prepare(bench.device, { type: 'ext4', readOnly: false });
  await truncate(bench.image, 64 * MIB);
  run('losetup', '--set-capacity', bench.device);
  await fileSystems.grow(bench.device, bench.root);
  const volume = bench.volumeOf('u');
  await volume.setUp(signal);
  const [blocks, blockBytes] = run('stat', '--file-system', '--format', '%b %S', volume.hostPath).split(' ');
  expect(Number(blocks) * Number(blockBytes)).toBeGreaterThan(32 * MIB);
  await volume.tearDown();
  run('mkswap', bench.device);
  await expect(fileSystems.grow(bench.device, bench.root)).rejects.toThrow('resize of format swap is not supported');
});

it.runIf(canUseDisks)('a disk that is not empty is never formatted', async () => {
  await using bench = await createBenchWithDisk();
  const expectKept = async (content: Buffer, failure: string | RegExp, options = {}) => {
    {
      await using file = await open(bench.device, 'r+');
      await file.write(content, 0, content.length, 0);
      await file.sync();
    }
    await expect(bench.volumeOf('u', options).setUp(signal)).rejects.toThrow(failure);
    await using file = await open(bench.device, 'r');
    const { buffer } = await file.read(Buffer.alloc(content.length), 0, content.length, 0);
    expect(buffer.equals(content)).toBe(true);
  };
  await expectKept(Buffer.alloc(4_096), 'cannot mount unformatted disk', { readOnly: true });
  const partitions = partitionTable();
  await expectKept(partitions, /failed to mount device .*mount failed/s);
  const swap = Buffer.alloc(4_096);
  swap.writeUInt32LE(1, 1_024);
  swap.writeUInt32LE(100, 1_028);
  swap.write('SWAPSPACE2', 4_086);
  await expectKept(swap, /mount failed/);
});

it.runIf(canUseDisks)('a disk of which a part cannot be read is not formatted', async () => {
  await using bench = await createBenchWithDisk();
  for (const readableMib of [2, 6]) {
    // Reads of the rest fail.
    await truncate(bench.image, readableMib * MIB);
    await expect(bench.volumeOf('u').setUp(signal)).rejects.toThrow(/failed to get disk format .*Input\/output error/);
  }
  await truncate(bench.image, 16 * MIB);
  expect((await readFile(bench.image)).some((byte) => byte !== 0)).toBe(false);
});

it.runIf(canUseDisks)('a partition without content gets a file system', async () => {
  await using bench = await createBenchWithDisk();
  {
    await using file = await open(bench.device, 'r+');
    await file.write(partitionTable(), 0, 512, 0);
    await file.sync();
  }
  run('addpart', bench.device, '1', '2048', '20480');
  try {
    await bench.context.fileSystems.prepare(`${bench.device}p1`, { type: 'ext4', readOnly: false });
    expect(run('blkid', '-p', '-s', 'TYPE', '-o', 'value', `${bench.device}p1`)).toBe('ext4');
  } finally {
    run('delpart', bench.device, '1');
  }
});

it.runIf(canUseDisks)('a file system is repaired, or not mounted', async () => {
  await using bench = await createBenchWithDisk();
  const { fileSystems } = bench.context;
  await fileSystems.prepare(bench.device, { type: 'ext4', readOnly: false });
  run('debugfs', '-w', '-R', 'ssv free_inodes_count 1', bench.device);
  run('debugfs', '-w', '-R', 'ssv state 2', bench.device);
  await fileSystems.prepare(bench.device, { type: 'ext4', readOnly: false });
  expect(run('dumpe2fs', '-h', bench.device)).toMatch(/Filesystem state:\s+clean\n/);
  // The directory at the root is lost.
  run('debugfs', '-w', '-R', 'clri <2>', bench.device);
  run('debugfs', '-w', '-R', 'ssv state 2', bench.device);
  await expect(bench.volumeOf('u').setUp(signal)).rejects.toThrow(
    `'fsck' found errors on device ${bench.device} but could not correct them`,
  );
});

it.runIf(canUseDisks)('neither the name of a file system nor a path leads to another program', async () => {
  await using bench = await createBenchWithDisk();
  for (const fsType of ['../../tmp/x', 'ext4;reboot', '-V'])
    await expect(bench.volumeOf('u', { fsType }).setUp(signal)).rejects.toThrow('is not a type of a file system');
});

it.runIf(canUseDisks)('a disk whose removal failed is unmounted by the next try', async () => {
  await using bench = await createBenchWithDisk();
  const volume = bench.volumeOf('u');
  await volume.setUp(signal);
  const global = `${bench.root}/plugins/kubernetes.io/local-volume/mounts/pv1`;
  {
    await using _user = await open(`${global}/lost+found`, 'r');
    await expect(volume.tearDown()).rejects.toThrow('unmount failed');
    expect(existsSync(volume.hostPath)).toBe(true);
  }
  await volume.tearDown();
  expect(existsSync(volume.hostPath)).toBe(false);
  expect(existsSync(global)).toBe(false);
});
