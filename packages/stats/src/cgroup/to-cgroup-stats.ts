import type { CgroupStats } from '../summary/cgroup-stats.ts';
import type { InterfaceStats, NetworkStats, PsiData, PsiStats } from '../summary/summary-types.ts';
import { type CgroupSample, workingSetBytes } from './cgroup-sample.ts';
import type { InterfaceCounts } from './net-dev.ts';

/** Interface that a pod has by convention. */
const DEFAULT_INTERFACE = 'eth0';

const NO_STALLS: PsiData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };
/** Pressure of a kernel that measures none, such as with cgroup v1. Readers of the kubelet's summary expect the field. */
const NO_PRESSURE: PsiStats = { full: NO_STALLS, some: NO_STALLS };

/** Facts about a cgroup beside its sample. */
export interface CgroupFacts {
  readonly usageNanoCores: number | undefined;
  /** `undefined` when block I/O is not accounted. */
  readonly io: { readonly psi: PsiStats | undefined } | undefined;
}

/** Returns a sample in the form of the summary. */
export function toCgroupStats({ timeMs: time, cpu, memory }: CgroupSample, facts: CgroupFacts): CgroupStats {
  const { usageNanoCores, io } = facts;
  return {
    cpu: {
      time,
      ...(usageNanoCores !== undefined && { usageNanoCores }),
      usageCoreNanoSeconds: cpu?.usageNanoseconds ?? 0,
      ...(cpu && { psi: cpu.psi ?? NO_PRESSURE }),
    },
    memory:
      memory === undefined
        ? { time, workingSetBytes: 0 }
        : {
            time,
            ...(memory.limitBytes !== undefined && { availableBytes: memory.limitBytes - workingSetBytes(memory) }),
            usageBytes: memory.usageBytes,
            workingSetBytes: workingSetBytes(memory),
            rssBytes: memory.rssBytes,
            pageFaults: memory.pageFaults,
            majorPageFaults: memory.majorPageFaults,
            psi: memory.psi ?? NO_PRESSURE,
          },
    ...(io && { io: { time, psi: io.psi ?? NO_PRESSURE } }),
    ...(memory && {
      swap: {
        time,
        ...(memory.swapLimitBytes !== undefined && { swapAvailableBytes: memory.swapLimitBytes - memory.swapBytes }),
        swapUsageBytes: memory.swapBytes,
      },
    }),
  };
}

/** Returns the counts of interfaces in the form of the summary; `undefined` without any. */
export function toNetworkStats(time: number, interfaces: readonly InterfaceCounts[]): NetworkStats | undefined {
  if (interfaces.length === 0) return undefined;
  const all = interfaces.map(({ name, rxBytes, rxErrors, txBytes, txErrors }): InterfaceStats => {
    return { name, rxBytes, rxErrors, txBytes, txErrors };
  });
  const first = all.find(({ name }) => name === DEFAULT_INTERFACE);
  return { time, ...(first ?? { name: '' }), interfaces: all };
}
