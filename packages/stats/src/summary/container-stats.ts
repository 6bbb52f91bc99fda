import type { Container, ContainerStats as CriContainerStats, FilesystemUsage } from '@rxlet/cri-api';
import { cpuStats, ioStats, memoryStats, swapStats, toMs } from './from-cri.ts';
import { type DiskUsage, type FileSystemUsage, freeSpace, usageOn } from './fs-stats.ts';
import type { ContainerStats, CpuStats, FsStats, MemoryStats, SwapStats } from './summary-types.ts';

/** Facts about a container beside the runtime's statistics. */
export interface ContainerFacts {
  readonly nowMs: number;
  /** Rate of CPU usage, when it is known. */
  readonly usageNanoCores: number | undefined;
  readonly rootFs: FileSystemUsage;
  /** File system of the writable layer; `undefined` when this node does not know it. */
  readonly layerFs: FileSystemUsage | undefined;
  readonly logs: DiskUsage | undefined;
}

/** Returns the statistics of a container. As the kubelet's, amounts that the runtime does not report at all are zero as of now. */
export function containerStats(stats: CriContainerStats, container: Container, facts: ContainerFacts): ContainerStats {
  const { nowMs, usageNanoCores, rootFs, layerFs, logs } = facts;
  return {
    ...identity(stats, container),
    cpu: stats.cpu === undefined ? { time: nowMs, ...noCpu } : withRate(cpuStats(stats.cpu), usageNanoCores),
    memory: stats.memory === undefined ? { time: nowMs, ...noMemory } : memoryStats(stats.memory),
    io: stats.io === undefined ? { time: nowMs } : ioStats(stats.io),
    rootfs: layerStats(stats.writableLayer, layerFs),
    ...(logs !== undefined && { logs: usageOn(rootFs, logs) }),
    swap: stats.swap === undefined ? { time: nowMs, ...noSwap } : swapStats(stats.swap),
  };
}

/** Returns CPU, memory and swap of a container, where everything that the runtime does not report is zero. */
export function containerCpuAndMemory(
  stats: CriContainerStats,
  container: Container,
  { nowMs, usageNanoCores }: Pick<ContainerFacts, 'nowMs' | 'usageNanoCores'>,
): ContainerStats {
  const cpu: CpuStats =
    stats.cpu === undefined
      ? { time: nowMs, ...noCpu }
      : withRate({ usageCoreNanoSeconds: 0, ...cpuStats(stats.cpu) }, usageNanoCores);
  const memory: MemoryStats = {
    availableBytes: 0,
    ...noMemory,
    pageFaults: 0,
    majorPageFaults: 0,
    ...(stats.memory === undefined ? { time: nowMs } : memoryStats(stats.memory)),
  };
  const swap: SwapStats = { ...noSwap, ...(stats.swap === undefined ? { time: nowMs } : swapStats(stats.swap)) };
  return { ...identity(stats, container), cpu, memory, swap };
}

const noCpu: Omit<CpuStats, 'time'> = { usageCoreNanoSeconds: 0, usageNanoCores: 0 };
const noMemory: Omit<MemoryStats, 'time'> = { workingSetBytes: 0, usageBytes: 0, rssBytes: 0 };
const noSwap: Omit<SwapStats, 'time'> = { swapUsageBytes: 0, swapAvailableBytes: 0 };

function identity(
  { attributes }: CriContainerStats,
  { createdAt }: Container,
): Pick<ContainerStats, 'name' | 'startTime'> {
  return { name: attributes?.metadata?.name ?? '', startTime: toMs(createdAt) };
}

function withRate(stats: CpuStats, usageNanoCores: number | undefined): CpuStats {
  return usageNanoCores === undefined ? stats : { ...stats, usageNanoCores };
}

function layerStats(layer: FilesystemUsage | undefined, fileSystem: FileSystemUsage | undefined): FsStats {
  return {
    time: layer === undefined ? 0 : toMs(layer.timestamp),
    ...(layer?.usedBytes && { usedBytes: Number(layer.usedBytes.value) }),
    ...(layer?.inodesUsed && { inodesUsed: Number(layer.inodesUsed.value) }),
    ...(fileSystem !== undefined && freeSpace(fileSystem)),
  };
}
