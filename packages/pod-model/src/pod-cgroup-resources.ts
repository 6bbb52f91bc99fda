import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import { isSidecar } from './containers.ts';
import { milliCpuToQuota, milliCpuToShares } from './linux-resources.ts';
import { podLimits, podRequests, type ResourceAmounts } from './pod-resources.ts';
import { podQosClass } from './qos.ts';
import { isZeroQuantity, parseQuantity, quantityMilliValue, quantityValue } from './quantity.ts';

/** Values of the cgroup of a pod, which bound those of its containers together. A value that is not set is left as the kernel has it. */
export interface PodCgroupResources {
  /** cgroup v1 `cpu.shares`; for cgroup v2 it is converted to `cpu.weight`. */
  readonly cpuShares: number;
  /** CFS quota in microseconds a period, -1 for none. */
  readonly cpuQuotaUs?: number;
  /** Length of the CFS period in microseconds. */
  readonly cpuPeriodUs?: number;
  readonly memoryLimitBytes?: number;
  /** Size of a page in bytes, in decimal → bytes that pages of that size may take. Sizes that the pod does not ask for are not in it. */
  readonly hugePageLimits: Readonly<Record<string, number>>;
}

/** Options of {@link podCgroupResources}. */
export interface PodCgroupOptions {
  /** Whether CPU limits are enforced (KubeletConfiguration `cpuCFSQuota`). Default true. */
  readonly enforceCpuLimits?: boolean;
  /** Length of the CFS period in microseconds (KubeletConfiguration `cpuCFSQuotaPeriod`). Default 100 000, a tenth of a second. */
  readonly cpuPeriodUs?: number;
}

/** What BestEffort pods get of the CPU: the least there is. */
const BEST_EFFORT_SHARES = 2;
const HUGE_PAGES = 'hugepages-';

/**
 * What the cgroup of a pod is set to. A limit is the sum of the containers' limits, overhead included, so there is one only if every container has one or the
 * pod as a whole does (KEP-2837): otherwise the container without would be held to the limits of the others.
 *
 * @throws QuantityError when the pod holds a malformed quantity
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

/** Whether the pod as a whole or each of its containers has a limit of the resource. */
function isLimited(pod: Pod, resource: 'cpu' | 'memory'): boolean {
  const { resources, containers, initContainers = [] } = pod.spec!;
  if (setsLimit(resources, resource)) return true;
  let sidecarLimited = false;
  return (
    containers.every((container) => setsLimit(container.resources, resource)) &&
    initContainers.every((container) => {
      const limited = setsLimit(container.resources, resource);
      if (limited && isSidecar(container)) sidecarLimited = true;
      // An init container is counted with the sidecars that run beside it, so that one limit among them will do.
      return limited || sidecarLimited;
    })
  );
}

function setsLimit(resources: ResourceRequirements | undefined, resource: 'cpu' | 'memory'): boolean {
  const limit = resources?.limits?.[resource];
  return limit !== undefined && !isZeroQuantity(parseQuantity(limit));
}

/** Huge pages cannot be overcommitted: what is requested of them is the limit. */
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
