import type { PodCgroupValues } from '@rxlet/agent-api/node';
import type { CgroupName } from '@rxlet/pod-model/cgroups';
import type { CgroupTree } from '../tree/cgroup-tree.ts';
import type { CgroupFormat } from '../values/cgroup-writes.ts';
import { weightToShares } from '../values/cgroup-writes.ts';

/** Limits from here on are the kernel's way to write "none" in cgroup v1. */
const UNLIMITED_BYTES = 2 ** 62;
const DEFAULT_PERIOD_US = 100_000;

/** Reads the values of a pod's cgroup that a resize changes; `undefined` when it does not exist. */
export async function readPodCgroup(
  tree: CgroupTree,
  name: CgroupName,
  { version }: CgroupFormat,
): Promise<PodCgroupValues | undefined> {
  if (version === 1) {
    const shares = await tree.read(name, 'cpu', 'cpu.shares');
    if (shares === undefined) return undefined;
    const quota = await tree.read(name, 'cpu', 'cpu.cfs_quota_us');
    const period = await tree.read(name, 'cpu', 'cpu.cfs_period_us');
    const memory = await tree.read(name, 'memory', 'memory.limit_in_bytes');
    return {
      cpuShares: Number(shares),
      cpuQuotaUs: Number(quota ?? -1),
      cpuPeriodUs: Number(period ?? DEFAULT_PERIOD_US),
      memoryLimitBytes: limit(memory),
    };
  }
  const weight = await tree.read(name, 'cpu', 'cpu.weight');
  if (weight === undefined) return undefined;
  const [quota = 'max', period = DEFAULT_PERIOD_US] = ((await tree.read(name, 'cpu', 'cpu.max')) ?? 'max').split(' ');
  return {
    cpuShares: weightToShares(Number(weight)),
    cpuQuotaUs: quota === 'max' ? -1 : Number(quota),
    cpuPeriodUs: Number(period),
    memoryLimitBytes: limit(await tree.read(name, 'memory', 'memory.max')),
  };
}

function limit(text: string | undefined): number {
  if (text === undefined || text === 'max') return -1;
  return Number(text) >= UNLIMITED_BYTES ? -1 : Number(text);
}
