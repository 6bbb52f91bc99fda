import { execFile } from 'node:child_process';
import { mkdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DriverMounts } from './test-driver.ts';

const run = promisify(execFile);

/** Options of {@link createDiskMounts}. */
export interface DiskMountsOptions {
  /** Size of block volumes. Default: 4 MiB. */
  readonly deviceBytes?: number;
}

/** Creates the mounts of a driver on the node's disks, which need root. Its volumes are below a directory; those that are devices are loop devices on files. */
export function createDiskMounts(directory: string, { deviceBytes = 4 << 20 }: DiskMountsOptions = {}): DriverMounts {
  const isMounted = async (target: string): Promise<boolean> =>
    run('mountpoint', ['-q', '--', target]).then(
      () => true,
      // A device is never the root of its file system.
      async () => (await stat(target).catch(() => undefined))?.isBlockDevice() === true,
    );
  const imageOf = (volumeId: string): string => join(directory, `${volumeId}.img`);
  const loopDeviceOf = async (volumeId: string): Promise<string | undefined> => {
    const { stdout } = await run('losetup', ['--noheadings', '--output', 'NAME', '--associated', imageOf(volumeId)]);
    return stdout.trim().split('\n')[0] || undefined;
  };
  return {
    async makeVolume(volumeId) {
      const path = join(directory, volumeId);
      await mkdir(path, { recursive: true });
      return path;
    },
    async makeDevice(volumeId) {
      await mkdir(directory, { recursive: true });
      await run('truncate', ['--size', String(deviceBytes), '--', imageOf(volumeId)]);
      const existing = await loopDeviceOf(volumeId);
      if (existing !== undefined) return existing;
      return (await run('losetup', ['--find', '--show', '--', imageOf(volumeId)])).stdout.trim();
    },
    async removeDevice(volumeId) {
      const device = await loopDeviceOf(volumeId);
      if (device !== undefined) await run('losetup', ['--detach', device]);
    },
    async bind(source, target, kind = 'directory') {
      if (kind === 'directory') await mkdir(target, { recursive: true });
      else if (!(await isMounted(target))) await writeFile(target, '');
      if (!(await isMounted(target))) await run('mount', ['--bind', '--', source, target]);
    },
    async unbind(target) {
      if (await isMounted(target)) await run('umount', ['--', target]);
      const isDirectory = (await stat(target).catch(() => undefined))?.isDirectory() === true;
      if (isDirectory) await rmdir(target);
      else await rm(target, { force: true });
    },
  };
}
