import type { CgroupSample } from './cgroup-sample.ts';

/** Rates of CPU usage of cgroups, from the samples that were taken. */
export interface CgroupRates {
  /** Takes a sample. Returns the rate since an earlier one, in billionths of a CPU; `undefined` for the first. */
  update(sample: CgroupSample): number | undefined;
  /** Drops the cgroups of which no sample was taken for ten minutes. */
  collectGarbage(nowMs: number): void;
}

interface Base {
  readonly timeMs: number;
  readonly usageNanoseconds: number;
  readonly rate: number | undefined;
}

/** Shortest period of a rate: the kernel accounts in ticks, so that those of shorter ones would jump. */
const MIN_PERIOD_MS = 1000;
const KEPT_MS = 10 * 60_000;

/** Creates {@link CgroupRates}. */
export function createCgroupRates(): CgroupRates {
  const bases = new Map<string, Base>();
  return {
    update({ path, timeMs, cpu }) {
      if (cpu === undefined) return undefined;
      const { usageNanoseconds } = cpu;
      const base = bases.get(path);
      if (base === undefined || usageNanoseconds < base.usageNanoseconds || timeMs < base.timeMs) {
        bases.set(path, { timeMs, usageNanoseconds, rate: undefined });
        return undefined;
      }
      const elapsedMs = timeMs - base.timeMs;
      if (elapsedMs < MIN_PERIOD_MS) return base.rate;
      const rate = Math.trunc(((usageNanoseconds - base.usageNanoseconds) / elapsedMs) * 1000);
      bases.set(path, { timeMs, usageNanoseconds, rate });
      return rate;
    },
    collectGarbage(nowMs) {
      for (const [path, { timeMs }] of bases) if (nowMs - timeMs > KEPT_MS) bases.delete(path);
    },
  };
}
