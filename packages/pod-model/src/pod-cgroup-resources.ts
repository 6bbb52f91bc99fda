import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import { isSidecar } from './containers.ts';
import { milliCpuToQuota, milliCpuToShares } from './linux-resources.ts';
import { podLimits, podRequests, type ResourceAmounts } from './pod-resources.ts';
import { podQosClass } from './qos.ts';
import { isZeroQuantity, parseQuantity, quantityMilliValue, quantityValue } from './quantity.ts';

/** Values of a pod's cgroup, which limit all its containers together. Absent values keep the kernel's default. */
export interface PodCgroupResources {
  /** cgroup v1 `cpu.shares`; for cgroup v2 it is converted to `cpu.weight`. */
  readonly cpuShares: number;
  /** CFS quota in microseconds per period; -1 for none. */
  readonly cpuQuotaUs?: number;
  /** Length of the CFS period in microseconds. */
  readonly cpuPeriodUs?: number;
  readonly memoryLimitBytes?: number;
  /** Page size in bytes (decimal) → limit in bytes, for the page sizes that the pod requests. */
  readonly hugePageLimits: Readonly<Record<string, number>>;
}

/** Options of {@link podCgroupResources}. */
export interface PodCgroupOptions {
  /** Whether CPU limits are enforced (KubeletConfiguration `cpuCFSQuota`). Default true. */
  readonly enforceCpuLimits?: boolean;
  /** Length of the CFS period in microseconds (KubeletConfiguration `cpuCFSQuotaPeriod`). Default 100 000, a tenth of a second. */
  readonly cpuPeriodUs?: number;
}

/** CPU shares of BestEffort pods, the kernel's minimum. */
const BEST_EFFORT_SHARES = 2;
const HUGE_PAGES = 'hugepages-';

/**
 * Returns the resources of a pod's cgroup. A limit is the sum of the containers' limits plus overhead. It exists only if every container has a limit or the pod
 * as a whole has one (KEP-2837); otherwise a container without a limit would be held to those of the others.
 *
 * @throws QuantityError when the pod has a malformed quantity
 */
export function podCgroupResources(pod: Pod, options: PodCgroupOptions = {}): PodCgroupResources {
  const { enforceCpuLimits = true, cpuPeriodUs = 100_000 } = options;
  const requests = podRequests(pod);
  const hugePageLimits = hugePages(requests);
  const qosClass = podQosClass(pod);
  if (qosClass === 'BestEffort') return { cpuShares: BEST_EFFORT_SHARES, hugePageLimits };

  const limits = podLimits(pod);
  const limited = (resource: 'cpu' | 'memory'): boolean => qosClass === 'Guaranteed' || isLimited(pod, resource);
  const quotaUs = enforceCpuLimits ? milliCpuToQuota(millis(limits), cpuPeriodUs) : -1;
  return {
    cpuShares: milliCpuToShares(millis(requests)),
    ...(limited('cpu') && { cpuQuotaUs: quotaUs, cpuPeriodUs }),
    ...(limited('memory') && { memoryLimitBytes: bytes(limits) }),
    hugePageLimits,
  };
}

/** Reports whether the pod as a whole or each of its containers has a limit of the resource. */
function isLimited(pod: Pod, resource: 'cpu' | 'memory'): boolean {
  const { resources, containers, initContainers = [] } = pod.spec!;
  if (setsLimit(resources, resource)) return true;
  let sidecarLimited = false;
  return (
    containers.every((container) => setsLimit(container.resources, resource)) &&
    initContainers.every((container) => {
      const limited = setsLimit(container.resources, resource);
      if (limited && isSidecar(container)) sidecarLimited = true;
      // An init container is counted with the sidecars that run beside it, so one limit among them is enough.
      return limited || sidecarLimited;
    })
  );
}

function setsLimit(resources: ResourceRequirements | undefined, resource: 'cpu' | 'memory'): boolean {
  const limit = resources?.limits?.[resource];
  return limit !== undefined && !isZeroQuantity(parseQuantity(limit));
}

/** Returns the limits of huge pages, which equal the requests because huge pages cannot be overcommitted. */
function hugePages(requests: ResourceAmounts): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [name, amount] of Object.entries(requests)) {
    if (!name.startsWith(HUGE_PAGES)) continue;
    const pageSize = quantityValue(parseQuantity(name.slice(HUGE_PAGES.length))).toString();
    limits[pageSize] = (limits[pageSize] ?? 0) + Number(quantityValue(amount));
  }
  return limits;
}

function millis({ cpu }: ResourceAmounts): number {
  return cpu === undefined ? 0 : Number(quantityMilliValue(cpu));
}

function bytes({ memory }: ResourceAmounts): number {
  return memory === undefined ? 0 : Number(quantityValue(memory));
}
