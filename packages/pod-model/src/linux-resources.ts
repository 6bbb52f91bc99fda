/** The kernel's least and most cpu.shares. */
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CPU = 1024;
const MILLIS_PER_CPU = 1000;
/** The kernel refuses a smaller CFS quota. */
const MIN_QUOTA_MICROS = 1000;
/** A tenth of a second, the kernel's own default. */
const DEFAULT_PERIOD_MICROS = 100_000;

/** cgroup v1 `cpu.shares` for a CPU request; the linear mapping that kubelets use for cgroup v2 too. */
export function milliCpuToShares(millis: number): number {
  const shares = Math.trunc((millis * SHARES_PER_CPU) / MILLIS_PER_CPU);
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, shares));
}

/** CFS quota in microseconds a period for a CPU limit; 0, meaning none, without a limit. */
export function milliCpuToQuota(millis: number, periodMicros: number = DEFAULT_PERIOD_MICROS): number {
  if (millis === 0) return 0;
  return Math.max(MIN_QUOTA_MICROS, Math.trunc((millis * periodMicros) / MILLIS_PER_CPU));
}

/** The CPU request, in thousandths, that shares stand for; rounded up, as making shares of it rounded down. */
export function sharesToMilliCpu(shares: number): number {
  return shares > 0 ? Math.ceil((shares * MILLIS_PER_CPU) / SHARES_PER_CPU) : 0;
}

/** The CPU limit, in thousandths, that a CFS quota stands for; 0 when it stands for none. */
export function quotaToMilliCpu(quotaMicros: number, periodMicros: number): number {
  return quotaMicros > 0 && periodMicros > 0 ? Math.trunc((quotaMicros * MILLIS_PER_CPU) / periodMicros) : 0;
}
