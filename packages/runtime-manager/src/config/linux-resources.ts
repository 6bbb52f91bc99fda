import { create } from '@bufbuild/protobuf';
import {
  type HugepageLimit,
  HugepageLimitSchema,
  type LinuxContainerResources,
  LinuxContainerResourcesSchema,
} from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { podContainers, podUid } from '@rxlet/pod-model';
import { milliCpuToQuota, milliCpuToShares, oomScoreAdj } from '@rxlet/pod-model/cgroups';
import {
  isZeroQuantity,
  type ParsedQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from '@rxlet/pod-model/quantity';
import { hugePageSizeName, podLimits, podRequests, type ResourceAmounts } from '@rxlet/pod-model/resources';
import { memoryQosValues } from './memory-qos.ts';
import type { NodeSettings } from './node-settings.ts';
import { swapLimitBytes } from './swap-limit.ts';

type ResourceSettings = Pick<
  NodeSettings,
  | 'memoryCapacityBytes'
  | 'hugePageSizes'
  | 'cgroupVersion'
  | 'swapAccounting'
  | 'swap'
  | 'cpuCfsQuota'
  | 'cpuCfsQuotaPeriodUs'
  | 'isCpuUnlimited'
  | 'singleProcessOomKill'
  | 'memoryQos'
  | 'allocatable'
>;

/** Returns the cgroup settings of a container. Pod-level limits apply where the container sets none (KEP-2837). */
export function containerResources(
  pod: Pod,
  container: Container | EphemeralContainer,
  settings: ResourceSettings,
): LinuxContainerResources {
  const requests = parsed(container.resources?.requests);
  const limits = parsed(container.resources?.limits);
  const podLevelLimits = parsed(pod.spec!.resources?.limits);
  const cpuLimit = nonZero(limits['cpu']) ?? podLevelLimits['cpu'];
  const memoryLimit = nonZero(limits['memory']) ?? podLevelLimits['memory'];

  const resources = baseResources({ cpuRequest: requests['cpu'], cpuLimit, memoryLimit }, settings);
  if (settings.isCpuUnlimited?.(podUid(pod), container.name) === true) liftCpuQuota(resources, settings);
  resources.oomScoreAdj = BigInt(oomScoreAdj(pod, container, settings.memoryCapacityBytes));
  resources.hugepageLimits = hugepageLimits({ ...podLevelLimits, ...limits }, settings.hugePageSizes);
  limitSwap(resources, pod, container, settings);
  const { memoryQos, cgroupVersion, allocatable } = settings;
  if (memoryQos !== undefined && cgroupVersion === 2)
    Object.assign(resources.unified, memoryQosValues(pod, container, memoryQos, allocatable['memory']));
  return resources;
}

/** Returns the total resources of a pod's containers. Runtimes that run pods in virtual machines size these by them. */
export function sandboxResources(pod: Pod, settings: ResourceSettings): LinuxContainerResources {
  const requests = podRequests(pod, { excludeOverhead: true });
  const limits = podLimits(pod, { excludeOverhead: true });
  const resources = baseResources(
    { cpuRequest: requests['cpu'], cpuLimit: limits['cpu'], memoryLimit: limits['memory'] },
    settings,
  );
  if (hasUnlimitedCpu(pod, settings)) liftCpuQuota(resources, settings);
  return resources;
}

/** Reports whether a container of the pod has CPUs for itself, so that neither it nor the pod has a CPU quota. */
export function hasUnlimitedCpu(pod: Pod, { isCpuUnlimited }: Pick<NodeSettings, 'isCpuUnlimited'>): boolean {
  if (isCpuUnlimited === undefined) return false;
  return podContainers(pod).some(({ container }) => isCpuUnlimited(podUid(pod), container.name));
}

function liftCpuQuota(resources: LinuxContainerResources, { cpuCfsQuota }: Pick<NodeSettings, 'cpuCfsQuota'>): void {
  if (cpuCfsQuota) resources.cpuQuota = -1n;
}

/** Returns the overhead of the sandbox from its runtime class; an empty message without one. */
export function sandboxOverhead(pod: Pod, settings: ResourceSettings): LinuxContainerResources {
  if (pod.spec!.overhead === undefined) return create(LinuxContainerResourcesSchema);
  const { cpu, memory } = parsed(pod.spec!.overhead);
  return baseResources({ cpuRequest: cpu, cpuLimit: cpu, memoryLimit: memory }, settings);
}

interface Amounts {
  readonly cpuRequest: ParsedQuantity | undefined;
  readonly cpuLimit: ParsedQuantity | undefined;
  readonly memoryLimit: ParsedQuantity | undefined;
}

function baseResources(
  { cpuRequest, cpuLimit, memoryLimit }: Amounts,
  settings: ResourceSettings,
): LinuxContainerResources {
  const limitMillis = millis(cpuLimit);
  // The limit is the default for an absent request, not for a request of zero.
  const shares = milliCpuToShares(cpuRequest === undefined ? limitMillis : millis(cpuRequest));
  return create(LinuxContainerResourcesSchema, {
    cpuShares: BigInt(shares),
    memoryLimitInBytes: memoryLimit === undefined ? 0n : quantityValue(memoryLimit),
    ...(settings.cpuCfsQuota && {
      cpuPeriod: BigInt(settings.cpuCfsQuotaPeriodUs),
      cpuQuota: BigInt(milliCpuToQuota(limitMillis, settings.cpuCfsQuotaPeriodUs)),
    }),
    // An OOM kill stops the whole container instead of leaving it without one of its processes.
    ...(settings.cgroupVersion === 2 && !settings.singleProcessOomKill && { unified: { 'memory.oom.group': '1' } }),
  });
}

/** Limits the swap of a container where the kernel accounts for it. With cgroup v1, memory and swap together stay below the limit of memory. */
function limitSwap(
  resources: LinuxContainerResources,
  pod: Pod,
  container: Container | EphemeralContainer,
  { swapAccounting, cgroupVersion, swap, memoryCapacityBytes }: ResourceSettings,
): void {
  if (!swapAccounting) return;
  if (cgroupVersion === 1) {
    resources.memorySwapLimitInBytes = resources.memoryLimitInBytes;
    return;
  }
  const limit = swap === undefined ? 0n : swapLimitBytes(pod, container, swap, memoryCapacityBytes);
  resources.unified['memory.swap.max'] = String(limit);
}

/** Returns a limit for each page size of the node; 0 forbids the sizes that the container does not request. */
function hugepageLimits(limits: ResourceAmounts, pageSizes: readonly string[]): HugepageLimit[] {
  const bytesBySize = new Map<string, bigint>();
  for (const [name, quantity] of Object.entries(limits)) {
    const size = /^hugepages-(.+)$/.exec(name)?.[1];
    if (size !== undefined)
      bytesBySize.set(hugePageSizeName(quantityValue(parseQuantity(size))), quantityValue(quantity));
  }
  return pageSizes.map((pageSize) => create(HugepageLimitSchema, { pageSize, limit: bytesBySize.get(pageSize) ?? 0n }));
}

function parsed(amounts: Readonly<Record<string, string | number>> | undefined): ResourceAmounts {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]));
}

function nonZero(quantity: ParsedQuantity | undefined): ParsedQuantity | undefined {
  return quantity === undefined || isZeroQuantity(quantity) ? undefined : quantity;
}

function millis(quantity: ParsedQuantity | undefined): number {
  return quantity === undefined ? 0 : Number(quantityMilliValue(quantity));
}
