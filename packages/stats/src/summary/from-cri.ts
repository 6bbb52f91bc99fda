import type {
  CpuUsage,
  LinuxPodSandboxStats,
  MemoryUsage,
  NetworkInterfaceUsage,
  NetworkUsage,
  ProcessUsage,
  PsiData as CriPsiData,
  PsiStats as CriPsiStats,
  SwapUsage,
  UInt64Value,
} from '@rxlet/cri-api';
import type {
  CpuStats,
  InterfaceStats,
  IoStats,
  MemoryStats,
  NetworkStats,
  PodStats,
  PsiData,
  PsiStats,
  SwapStats,
} from './summary-types.ts';

/** Returns nanoseconds since the epoch in milliseconds. */
export function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}

/** Returns the fields that the runtime has set. */
function known<K extends string>(values: Readonly<Record<K, UInt64Value | undefined>>): { [P in K]?: number } {
  const entries = Object.entries<UInt64Value | undefined>(values);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, Number(value.value)]])),
  ) as { [P in K]?: number };
}

/** Converts CPU statistics, except for the rate of a container. */
export function cpuStats({ timestamp, usageCoreNanoSeconds, psi }: CpuUsage): CpuStats {
  return { time: toMs(timestamp), ...known({ usageCoreNanoSeconds }), ...pressure(psi) };
}

export function memoryStats(usage: MemoryUsage): MemoryStats {
  const { availableBytes, usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults } = usage;
  return {
    time: toMs(usage.timestamp),
    ...known({ availableBytes, usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults }),
    ...pressure(usage.psi),
  };
}

export function swapStats({ timestamp, swapAvailableBytes, swapUsageBytes }: SwapUsage): SwapStats {
  return { time: toMs(timestamp), ...known({ swapAvailableBytes, swapUsageBytes }) };
}

export function ioStats({ timestamp, psi }: { readonly timestamp: bigint; readonly psi?: CriPsiStats }): IoStats {
  return { time: toMs(timestamp), ...pressure(psi) };
}

/** Converts the statistics of a pod as a whole. */
export function podLevelStats(
  linux: Omit<LinuxPodSandboxStats, 'containers'>,
): Pick<PodStats, 'cpu' | 'memory' | 'io' | 'network' | 'process_stats'> {
  const { cpu, memory, io, network, process } = linux;
  return {
    ...(cpu && { cpu: { ...cpuStats(cpu), ...known({ usageNanoCores: cpu.usageNanoCores }) } }),
    ...(memory && { memory: memoryStats(memory) }),
    ...(io && { io: ioStats(io) }),
    ...(network && { network: networkStats(network) }),
    ...(process && { process_stats: processStats(process) }),
  };
}

function networkStats({ timestamp, defaultInterface, interfaces }: NetworkUsage): NetworkStats {
  const others = interfaces.map(interfaceStats);
  return {
    time: toMs(timestamp),
    ...(defaultInterface === undefined ? { name: '' } : interfaceStats(defaultInterface)),
    ...(others.length > 0 && { interfaces: others }),
  };
}

function interfaceStats({ name, rxBytes, rxErrors, txBytes, txErrors }: NetworkInterfaceUsage): InterfaceStats {
  return { name, ...known({ rxBytes, rxErrors, txBytes, txErrors }) };
}

function processStats({ processCount }: ProcessUsage): { process_count?: number } {
  return known({ process_count: processCount });
}

function pressure(psi: CriPsiStats | undefined): { psi?: PsiStats } {
  return psi === undefined ? {} : { psi: { full: psiData(psi.Full), some: psiData(psi.Some) } };
}

function psiData(data: CriPsiData | undefined): PsiData {
  const { Total = 0n, Avg10 = 0, Avg60 = 0, Avg300 = 0 } = data ?? {};
  return { total: Number(Total), avg10: Avg10, avg60: Avg60, avg300: Avg300 };
}
