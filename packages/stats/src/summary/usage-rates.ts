import type { ContainerStats as CriContainerStats } from '@rxlet/cri-api';

/** Rates of CPU usage, which many runtimes do not report. They are computed from two samples of the time used. */
export interface UsageRates {
  /** Returns the last known rate of a container, in billionths of a CPU. The runtime's own figure wins. */
  last(stats: CriContainerStats): number | undefined;
  /** Takes a sample, and returns the rate since the sample before. */
  update(stats: CriContainerStats): number | undefined;
  /** Drops samples that are older than ten minutes. */
  collectGarbage(nowMs: number): void;
}

interface Sample {
  readonly timestamp: bigint;
  readonly usageCoreNanoSeconds: bigint;
  readonly usageNanoCores: number | undefined;
}

const KEPT_MS = 10 * 60_000;
const NANOSECONDS_PER_MS = 1_000_000n;

/** Creates {@link UsageRates}. */
export function createUsageRates(): UsageRates {
  const samples = new Map<string, Sample>();
  return {
    last({ attributes, cpu }) {
      if (attributes === undefined) return undefined;
      if (cpu?.usageNanoCores !== undefined) return Number(cpu.usageNanoCores.value);
      return samples.get(attributes.id)?.usageNanoCores;
    },
    update({ attributes, cpu }) {
      if (attributes === undefined || cpu === undefined) return undefined;
      if (cpu.usageNanoCores !== undefined) return Number(cpu.usageNanoCores.value);
      if (cpu.usageCoreNanoSeconds === undefined) return undefined;
      const { timestamp } = cpu;
      const usageCoreNanoSeconds = cpu.usageCoreNanoSeconds.value;
      const before = samples.get(attributes.id);
      // A counter that went back belongs to a container that was restarted under its id.
      if (before === undefined || usageCoreNanoSeconds < before.usageCoreNanoSeconds) {
        samples.set(attributes.id, { timestamp, usageCoreNanoSeconds, usageNanoCores: undefined });
        return undefined;
      }
      const elapsed = timestamp - before.timestamp;
      if (elapsed <= 0n) return undefined;
      const used = usageCoreNanoSeconds - before.usageCoreNanoSeconds;
      const usageNanoCores = Math.trunc((Number(used) / Number(elapsed)) * 1e9);
      samples.set(attributes.id, { timestamp, usageCoreNanoSeconds, usageNanoCores });
      return usageNanoCores;
    },
    collectGarbage(nowMs) {
      for (const [id, { timestamp }] of samples) {
        if (nowMs - Number(timestamp / NANOSECONDS_PER_MS) > KEPT_MS) samples.delete(id);
      }
    },
  };
}
