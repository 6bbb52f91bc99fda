import { parseCgroupMounts } from '@rxlet/machine';
import type { CgroupReader } from './cgroup-sample.ts';
import type { KernelFiles } from './kernel-files.ts';
import { versionOneReader } from './version-one-reader.ts';
import { versionTwoReader } from './version-two-reader.ts';

/** Returns the reader of the node's cgroups: cgroup v1 if its hierarchies are mounted, otherwise cgroup v2; `undefined` without either. */
export function openCgroupReader(files: KernelFiles): CgroupReader | undefined {
  const { hierarchies, unified } = parseCgroupMounts(files.read('/proc/self/mounts') ?? '');
  if (hierarchies.has('memory') || hierarchies.has('cpu')) return versionOneReader(files, { hierarchies });
  return unified === undefined ? undefined : versionTwoReader(files, unified);
}
