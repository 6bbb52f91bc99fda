import type { FakeRuntime } from '@rxlet/fake-cri';
import type { KernelFiles } from '@rxlet/stats';
import type { Boots, NodeSize } from './node-size.ts';

const CGROUPS = '/sys/fs/cgroup';

/**
 * Creates the files of a node's kernel: the root cgroup, whose CPU time and memory are those of the containers, and the size of the machine. There are no cgroups of
 * pods, whose statistics are the runtime's.
 */
export function createNodeKernel(fake: Pick<FakeRuntime, 'usage'>, size: NodeSize, boots: Boots): KernelFiles {
  let lastMicros = 0n;
  let removedMicros = 0n;
  /** The CPU time of a node does not fall when a container is removed. */
  const cpuMicros = (): bigint => {
    const now = fake.usage().cpuNanoseconds / 1000n + removedMicros;
    if (now < lastMicros) removedMicros += lastMicros - now;
    lastMicros = now > lastMicros ? now : lastMicros;
    return lastMicros;
  };
  const files: Readonly<Record<string, () => string>> = {
    '/proc/self/mounts': () => `cgroup2 ${CGROUPS} cgroup2 rw 0 0\n`,
    '/proc/meminfo': () =>
      `MemTotal: ${String(Math.floor(size.memoryBytes / 1024))} kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n`,
    '/proc/stat': () => `btime ${String(Math.floor(boots.timeMs / 1000))}\n`,
    '/proc/sys/kernel/pid_max': () => '4194304\n',
    [`${CGROUPS}/cpu.stat`]: () => `usage_usec ${String(cpuMicros())}\n`,
    [`${CGROUPS}/memory.stat`]: () => `anon ${String(fake.usage().memoryBytes)}\n`,
  };
  return {
    read: (path) => (Object.hasOwn(files, path) ? files[path]!() : undefined),
    list: async () => [],
    readLink: () => undefined,
    modifiedMs: (path) => (path === CGROUPS ? boots.timeMs : undefined),
  };
}
