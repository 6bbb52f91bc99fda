import type { ContainerStatsSchema } from '@rxlet/cri-api';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { dockerTimeNanos } from '../engine/docker-time.ts';
import type { DockerStats } from '../engine/docker-types.ts';

type Stats = MessageInitShape<typeof ContainerStatsSchema>;

/** Use of CPU and memory by a container at one moment. */
export interface Usage {
  /** Nanoseconds since the epoch. */
  readonly timestamp: bigint;
  readonly cpuNanoSeconds: bigint;
  readonly processes: bigint;
  readonly memoryBytes: bigint;
  readonly workingSetBytes: bigint;
  readonly rssBytes: bigint;
  readonly pageFaults: bigint;
  readonly majorPageFaults: bigint;
  /** Limit of memory; that of the node without a limit of its own. */
  readonly limitBytes: bigint;
}

/** Reads Docker's statistics. The names of memory fields differ between cgroup v1 and v2. */
export function usageOf({ read, cpu_stats: cpu, memory_stats: memory, pids_stats: pids }: DockerStats): Usage {
  const field = (...names: readonly string[]): bigint => {
    const name = names.find((candidate) => memory.stats?.[candidate] !== undefined);
    return BigInt(name === undefined ? 0 : memory.stats![name]!);
  };
  const memoryBytes = BigInt(memory.usage ?? 0);
  const inactive = field('total_inactive_file', 'inactive_file');
  return {
    timestamp: dockerTimeNanos(read),
    cpuNanoSeconds: BigInt(cpu.cpu_usage.total_usage),
    processes: BigInt(pids.current ?? 0),
    memoryBytes,
    workingSetBytes: memoryBytes > inactive ? memoryBytes - inactive : 0n,
    rssBytes: field('total_rss', 'anon'),
    pageFaults: field('total_pgfault', 'pgfault'),
    majorPageFaults: field('total_pgmajfault', 'pgmajfault'),
    limitBytes: BigInt(memory.limit ?? 0),
  };
}

/** Returns the sum of what several containers use, at the time of the latest. */
export function sumOf(usages: readonly Usage[]): Omit<Usage, 'limitBytes'> | undefined {
  const [first] = usages;
  if (first === undefined) return undefined;
  const sum = (field: Exclude<keyof Usage, 'timestamp'>): bigint =>
    usages.reduce((total, usage) => total + usage[field], 0n);
  return {
    timestamp: usages.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), 0n),
    cpuNanoSeconds: sum('cpuNanoSeconds'),
    processes: sum('processes'),
    memoryBytes: sum('memoryBytes'),
    workingSetBytes: sum('workingSetBytes'),
    rssBytes: sum('rssBytes'),
    pageFaults: sum('pageFaults'),
    majorPageFaults: sum('majorPageFaults'),
  };
}

/** Returns the CPU and memory of the CRI; the rate needs an earlier sample. */
export function cpuAndMemory(
  usage: Omit<Usage, 'limitBytes'> & { readonly limitBytes?: bigint },
  nanoCores: bigint | undefined,
): Pick<Stats, 'cpu' | 'memory'> {
  const { timestamp, limitBytes, workingSetBytes } = usage;
  return {
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: usage.cpuNanoSeconds },
      ...(nanoCores !== undefined && { usageNanoCores: { value: nanoCores } }),
    },
    memory: {
      timestamp,
      workingSetBytes: { value: workingSetBytes },
      ...(limitBytes !== undefined &&
        limitBytes > workingSetBytes && { availableBytes: { value: limitBytes - workingSetBytes } }),
      usageBytes: { value: usage.memoryBytes },
      rssBytes: { value: usage.rssBytes },
      pageFaults: { value: usage.pageFaults },
      majorPageFaults: { value: usage.majorPageFaults },
    },
  };
}

/** Returns the nanoseconds of CPU a second between two samples. */
export function nanoCoresBetween(
  earlier: Pick<Usage, 'timestamp' | 'cpuNanoSeconds'>,
  later: Pick<Usage, 'timestamp' | 'cpuNanoSeconds'>,
): bigint | undefined {
  const elapsed = later.timestamp - earlier.timestamp;
  const used = later.cpuNanoSeconds - earlier.cpuNanoSeconds;
  return elapsed <= 0n || used < 0n ? undefined : (used * 1_000_000_000n) / elapsed;
}
