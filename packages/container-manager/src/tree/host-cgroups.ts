import { readdir, readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import { parseCgroupMounts } from '@rxlet/machine';
import { hugePageSizeName } from '@rxlet/pod-model/resources';
import type { CgroupController, HugePageSize } from '../values/cgroup-writes.ts';
import { type CgroupFileSystem, CgroupsUnavailable } from './cgroup-file-system.ts';
import { versionOneCgroups } from './version-one-cgroups.ts';
import { versionTwoCgroups } from './version-two-cgroups.ts';

/** Places of the kernel's files. */
export interface HostCgroupsOptions {
  /** Table of mounts. Default `/proc/self/mounts`. */
  readonly mounts?: string;
  /** Directory of the huge page sizes. Default `/sys/kernel/mm/hugepages`. */
  readonly hugePages?: string;
}

/** Controllers without which limits of pods cannot be enforced. */
const REQUIRED: readonly CgroupController[] = ['cpu', 'cpuset', 'memory'];

/**
 * Opens the cgroups of this machine: cgroup v1 if its hierarchies are mounted, otherwise cgroup v2.
 *
 * @throws CgroupsUnavailable without a cgroup file system, without the controllers for CPU and memory, or without the permission to create cgroups
 */
export async function openHostCgroups(options: HostCgroupsOptions = {}): Promise<CgroupFileSystem> {
  const { mounts = '/proc/self/mounts', hugePages = '/sys/kernel/mm/hugepages' } = options;
  const { hierarchies, unified } = parseCgroupMounts(await readOrFail(mounts));
  const hugePageSizes = await readHugePageSizes(hugePages);
  const cgroups =
    hierarchies.has('memory') || hierarchies.has('cpu')
      ? await versionOneCgroups({ hierarchies, unified }, hugePageSizes)
      : await versionTwoCgroups(unified, hugePageSizes);
  const missing = REQUIRED.filter((controller) => !cgroups.controllers.has(controller));
  if (missing.length > 0) throw new CgroupsUnavailable(`cgroup controllers are missing: ${missing.join(', ')}`);
  return cgroups;
}

async function readOrFail(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CgroupsUnavailable(`cannot read the table of mounts: ${errorMessage(error)}`, { cause: error });
  }
}

async function readHugePageSizes(directory: string): Promise<readonly HugePageSize[]> {
  const names = await readdir(directory).catch(() => []);
  return names.flatMap((name) => {
    const kilobytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    if (kilobytes === undefined) return [];
    const bytes = BigInt(kilobytes) * 1024n;
    return [{ bytes: String(bytes), name: hugePageSizeName(bytes) }];
  });
}
