import type { CgroupValues } from '../values/cgroup-values.ts';
import { sharesToWeight } from '../values/cgroup-writes.ts';

/** Properties of each slice: without them systemd does not enable the controllers. */
const ACCOUNTING = ['CPUAccounting=yes', 'MemoryAccounting=yes', 'TasksAccounting=yes'];

/**
 * Returns the properties of a slice (systemd.resource-control) for the values of its cgroup. systemd writes its own idea of a cgroup's values whenever it realizes
 * the slice, so that values in files alone would be lost. It does not know limits of huge pages.
 */
export function sliceProperties(values: CgroupValues, version: 1 | 2): readonly string[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, cpus, memoryLimitBytes, memoryMinBytes, memoryLowBytes, pidsLimit } =
    values;
  const memory = nonZero(memoryLimitBytes);
  const pids = nonZero(pidsLimit);
  return [
    ...ACCOUNTING,
    ...property(version === 1 ? 'CPUShares' : 'CPUWeight', version === 1 ? cpuShares : weightOf(cpuShares)),
    ...quotaProperties(cpuQuotaUs, cpuPeriodUs),
    ...property(version === 1 ? 'MemoryLimit' : 'MemoryMax', memory === -1 ? 'infinity' : memory),
    ...property('TasksMax', pids === -1 ? 'infinity' : pids),
    ...(version === 1
      ? []
      : [
          ...property('AllowedCPUs', cpus),
          ...property('MemoryMin', memoryMinBytes),
          ...property('MemoryLow', memoryLowBytes),
        ]),
  ];
}

/** A quota is a share of one CPU in percent, with two decimals; an empty value is none. */
function quotaProperties(quotaUs: number | undefined, periodUs: number | undefined): readonly string[] {
  if (quotaUs === undefined || quotaUs === 0) return [];
  if (quotaUs < 0 || periodUs === undefined) return ['CPUQuota='];
  const percent = Math.ceil((quotaUs * 10_000) / periodUs) / 100;
  return [`CPUQuotaPeriodSec=${String(periodUs)}us`, `CPUQuota=${String(percent)}%`];
}

function weightOf(shares: number | undefined): number | undefined {
  return shares === undefined ? undefined : sharesToWeight(shares);
}

function property(name: string, value: number | string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}=${String(value)}`];
}

function nonZero(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}
