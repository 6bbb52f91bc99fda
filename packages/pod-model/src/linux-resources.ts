/** Range of cpu.shares in the kernel. */
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CPU = 1024;
const MILLIS_PER_CPU = 1000;
/** Smallest CFS quota that the kernel accepts. */
const MIN_QUOTA_MICROS = 1000;
/** Default CFS period of the kernel, a tenth of a second. */
const DEFAULT_PERIOD_MICROS = 100_000;

/** Returns cgroup v1 `cpu.shares` for a CPU request. */
export function milliCpuToShares(millis: number): number {
  const shares = Math.trunc((millis * SHARES_PER_CPU) / MILLIS_PER_CPU);
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, shares));
}

/** Returns the CFS quota for a CPU limit, in microseconds per period; 0 (no quota) without a limit. */
export function milliCpuToQuota(millis: number, periodMicros: number = DEFAULT_PERIOD_MICROS): number {
  if (millis === 0) return 0;
  return Math.max(MIN_QUOTA_MICROS, Math.trunc((millis * periodMicros) / MILLIS_PER_CPU));
}

/** Returns the CPU request of shares, in thousandths of a CPU. It is rounded up, because `milliCpuToShares` rounds down. */
export function sharesToMilliCpu(shares: number): number {
  return shares > 0 ? Math.ceil((shares * MILLIS_PER_CPU) / SHARES_PER_CPU) : 0;
}

/** Returns the CPU limit of a CFS quota, in thousandths of a CPU; 0 without a limit. */
export function quotaToMilliCpu(quotaMicros: number, periodMicros: number): number {
  return quotaMicros > 0 && periodMicros > 0 ? Math.trunc((quotaMicros * MILLIS_PER_CPU) / periodMicros) : 0;
}
