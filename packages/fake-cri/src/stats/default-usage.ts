import type { LinuxContainerResources } from '@rxlet/cri-api';
import type { UsageModel } from './usage-model.ts';

const MI = 1024n * 1024n;
/** Time until a program uses all its memory. */
const WARM_UP_MS = 10_000;
/** Default request of a container. */
const USUAL_CPU_MILLIS = 100;

/**
 * Returns the usage of a container without a script: 10 to 50 % of its CPU request, and 8 to 71 MiB, at most half of its memory limit; in the first 10 s half
 * the memory. It depends on the id, so that a run can be repeated.
 */
export function defaultUsage(id: string, resources: LinuxContainerResources | undefined): UsageModel {
  const percent = 10 + (Number.parseInt(id.slice(0, 6), 16) % 41);
  const mebibytes = 8 + (Number.parseInt(id.slice(6, 12), 16) % 64);
  const { cpuShares = 0n, cpuQuota = 0n, cpuPeriod = 0n, memoryLimitInBytes = 0n } = resources ?? {};
  // 1024 shares are a CPU, and 2 are what the kubelet sets for no request.
  const requestMillis = cpuShares > 2n ? (Number(cpuShares) * 1000) / 1024 : USUAL_CPU_MILLIS;
  const limitMillis = cpuQuota > 0n && cpuPeriod > 0n ? (Number(cpuQuota) * 1000) / Number(cpuPeriod) : Infinity;
  const cpuMillis = Math.max(1, Math.floor(Math.min((requestMillis * percent) / 100, limitMillis)));
  const wanted = BigInt(mebibytes) * MI;
  const memoryBytes = memoryLimitInBytes > 0n && wanted > memoryLimitInBytes / 2n ? memoryLimitInBytes / 2n : wanted;
  return [
    { afterMs: 0, cpuMillis, memoryBytes: memoryBytes / 2n },
    { afterMs: WARM_UP_MS, cpuMillis, memoryBytes },
  ];
}
