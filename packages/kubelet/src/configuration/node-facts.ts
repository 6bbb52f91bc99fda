import { access, readdir } from 'node:fs/promises';
import { cgroupOfProcess, createHostMachine, type HugePages, readSeLinuxPolicy } from '@rxlet/machine';
import { createHostFiles, type HostFiles } from '@rxlet/node-files';
import type { NodeSettings } from '@rxlet/runtime-manager';

const MAX_FILE_BYTES = 1024 * 1024;

/** Settings that are read from the node itself. */
export type NodeFacts = Pick<
  NodeSettings,
  | 'memoryCapacityBytes'
  | 'allocatable'
  | 'hugePageSizes'
  | 'cgroupVersion'
  | 'swapAccounting'
  | 'swap'
  | 'extraMaskedPaths'
  | 'seLinux'
>;

/**
 * Reads the facts of the node that the configuration of containers depends on.
 */
export async function readNodeFacts(files: HostFiles = createHostFiles()): Promise<NodeFacts> {
  const cgroupVersion = (await exists('/sys/fs/cgroup/cgroup.controllers')) ? 2 : 1;
  const { cores, memoryBytes, swapBytes, hugePages } = await createHostMachine(files).facts();
  return {
    memoryCapacityBytes: BigInt(memoryBytes),
    allocatable: { cpu: String(cores), memory: String(memoryBytes) },
    hugePageSizes: hugePages.map(hugePageSize),
    cgroupVersion,
    swapAccounting: await exists(
      cgroupVersion === 2
        ? // The root cgroup has no limits.
          `/sys/fs/cgroup${await ownCgroup(files)}/memory.swap.max`
        : '/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes',
    ),
    swap: { capacityBytes: BigInt(swapBytes) },
    seLinux: (await readSeLinuxPolicy(files)) !== undefined,
    extraMaskedPaths: await thermalThrottlePaths(),
  };
}

async function ownCgroup(files: HostFiles): Promise<string> {
  const file = await files.read('/proc/self/cgroup', MAX_FILE_BYTES).catch(() => undefined);
  return (file && cgroupOfProcess(Buffer.from(file.bytes).toString())) ?? '/';
}

/** Formats the size of pages in the runtime's notation, such as `2MB`. */
function hugePageSize({ sizeBytes }: HugePages): string {
  const kilobytes = sizeBytes / 1024;
  if (kilobytes % 1048576 === 0) return `${String(kilobytes / 1048576)}GB`;
  return kilobytes % 1024 === 0 ? `${String(kilobytes / 1024)}MB` : `${String(kilobytes)}KB`;
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
