import { access, readdir } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { NodeSettings } from '@rxlet/runtime-manager';

/** What of the settings the node itself tells. */
export type NodeFacts = Pick<
  NodeSettings,
  'memoryCapacityBytes' | 'allocatable' | 'hugePageSizes' | 'cgroupVersion' | 'swapAccounting' | 'extraMaskedPaths'
>;

/**
 * Asks the kernel for what pods' configurations depend on.
 */
export async function readNodeFacts(): Promise<NodeFacts> {
  const cgroupVersion = (await exists('/sys/fs/cgroup/cgroup.controllers')) ? 2 : 1;
  const memory = totalmem();
  return {
    memoryCapacityBytes: BigInt(memory),
    allocatable: { cpu: String(cpus().length), memory: String(memory) },
    hugePageSizes: await hugePageSizes(),
    cgroupVersion,
    swapAccounting: await exists(
      cgroupVersion === 2
        ? '/sys/fs/cgroup/init.scope/memory.swap.max'
        : '/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes',
    ),
    extraMaskedPaths: await thermalThrottlePaths(),
  };
}

/** Sizes in the runtime's notation, `2MB`, from folders such as `hugepages-2048kB`; the smallest first. */
async function hugePageSizes(): Promise<string[]> {
  const names = await readdir('/sys/kernel/mm/hugepages').catch(() => []);
  return names
    .map((name) => Number(/^hugepages-(\d+)kB$/.exec(name)?.[1]))
    .filter((kilobytes) => kilobytes > 0)
    .sort((left, right) => left - right)
    .map((kilobytes) => {
      if (kilobytes % 1048576 === 0) return `${String(kilobytes / 1048576)}GB`;
      return kilobytes % 1024 === 0 ? `${String(kilobytes / 1024)}MB` : `${String(kilobytes)}KB`;
    });
}

async function thermalThrottlePaths(): Promise<string[]> {
  const root = '/sys/devices/system/cpu';
  const names = (await readdir(root).catch(() => [])).filter((name) => /^cpu\d+$/.test(name));
  const paths = names.map((name) => `${root}/${name}/thermal_throttle`);
  const present = await Promise.all(paths.map(exists));
  return paths.filter((_path, index) => present[index]);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
