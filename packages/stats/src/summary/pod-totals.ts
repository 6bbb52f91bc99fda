import type { CgroupStats } from './cgroup-stats.ts';
import type { ContainerStats, CpuStats, MemoryStats, PodStats, SwapStats } from './summary-types.ts';

/** Statistics of a pod as a whole. */
export type PodTotals = Pick<PodStats, 'cpu' | 'memory' | 'io' | 'swap'>;

/** Returns the statistics of a pod's cgroup; without one, the sums of its containers. The pressure of a pod cannot be computed from that of its containers. */
export function podTotals(containers: readonly ContainerStats[], cgroup: CgroupStats | undefined): PodTotals {
  if (cgroup !== undefined) {
    const { cpu, memory, io, swap } = cgroup;
    return { cpu, memory, ...(io && { io }), ...(swap && { swap }) };
  }
  const cpus = containers.flatMap(({ cpu }) => cpu ?? []);
  const memories = containers.flatMap(({ memory }) => memory ?? []);
  const firstIo = containers.find(({ io }) => io !== undefined)?.io;
  const swap = swapTotal(containers, 'first');
  return {
    ...(cpus.length > 0 && { cpu: sumOf(cpus, CPU) }),
    ...(memories.length > 0 && { memory: sumOf(memories, MEMORY) }),
    ...(firstIo && { io: { time: firstIo.time } }),
    ...(swap && { swap }),
  };
}

/** Returns the sum of the containers' swap, with the time of the first or of the last of them; `undefined` when none has any. */
export function swapTotal(containers: readonly ContainerStats[], timeOf: 'first' | 'last'): SwapStats | undefined {
  const swaps = containers.flatMap(({ swap }) => swap ?? []);
  const timed = timeOf === 'first' ? swaps[0] : swaps.at(-1);
  return timed === undefined ? undefined : { ...sumOf(swaps, SWAP), time: timed.time };
}

const CPU: readonly Exclude<keyof CpuStats, 'time' | 'psi'>[] = ['usageCoreNanoSeconds', 'usageNanoCores'];
const MEMORY: readonly Exclude<keyof MemoryStats, 'time' | 'psi'>[] = [
  'availableBytes',
  'usageBytes',
  'workingSetBytes',
  'rssBytes',
  'pageFaults',
  'majorPageFaults',
];
const SWAP: readonly Exclude<keyof SwapStats, 'time'>[] = ['swapAvailableBytes', 'swapUsageBytes'];

/** Adds amounts, unknown ones as zero. The time is that of the last summand. */
function sumOf<K extends string>(
  summands: readonly ({ readonly time: number } & { readonly [P in K]?: number })[],
  keys: readonly K[],
): { readonly time: number } & Readonly<Record<K, number>> {
  const sums = keys.map((key) => [key, summands.reduce((sum, summand) => sum + (summand[key] ?? 0), 0)] as const);
  return { time: summands.at(-1)?.time ?? 0, ...(Object.fromEntries(sums) as Record<K, number>) };
}
