import { create } from '@bufbuild/protobuf';
import {
  type HugepageLimit,
  HugepageLimitSchema,
  type LinuxContainerResources,
  LinuxContainerResourcesSchema,
} from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import {
  isZeroQuantity,
  milliCpuToQuota,
  milliCpuToShares,
  oomScoreAdj,
  parseQuantity,
  type ParsedQuantity,
  podLimits,
  podRequests,
  quantityMilliValue,
  quantityValue,
  type ResourceAmounts,
} from '@rxlet/pod-model';
import type { NodeSettings } from './node-settings.ts';

type ResourceSettings = Pick<
  NodeSettings,
  | 'memoryCapacityBytes'
  | 'hugePageSizes'
  | 'cgroupVersion'
  | 'swapAccounting'
  | 'cpuCfsQuota'
  | 'cpuCfsQuotaPeriodUs'
  | 'singleProcessOomKill'
>;

/** The cgroup settings of one container. Limits of the pod as a whole stand in for those that the container does not set (KEP-2837). */
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
  resources.oomScoreAdj = BigInt(oomScoreAdj(pod, container, settings.memoryCapacityBytes));
  resources.hugepageLimits = hugepageLimits({ ...podLevelLimits, ...limits }, settings.hugePageSizes);
  forbidSwap(resources, settings);
  return resources;
}

/** What the containers of a pod together ask for: lets a runtime that runs pods in machines of their own size them. */
export function sandboxResources(pod: Pod, settings: ResourceSettings): LinuxContainerResources {
  const requests = podRequests(pod, { excludeOverhead: true });
  const limits = podLimits(pod, { excludeOverhead: true });
  return baseResources(
    { cpuRequest: requests['cpu'], cpuLimit: limits['cpu'], memoryLimit: limits['memory'] },
    settings,
  );
}

/** What the sandbox itself costs, by its runtime class; an empty message when nothing is said about it. */
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
  // A request of zero is one; only without any does the limit stand in for it.
  const shares = milliCpuToShares(cpuRequest === undefined ? limitMillis : millis(cpuRequest));
  return create(LinuxContainerResourcesSchema, {
    cpuShares: BigInt(shares),
    memoryLimitInBytes: memoryLimit === undefined ? 0n : quantityValue(memoryLimit),
    ...(settings.cpuCfsQuota && {
      cpuPeriod: BigInt(settings.cpuCfsQuotaPeriodUs),
      cpuQuota: BigInt(milliCpuToQuota(limitMillis, settings.cpuCfsQuotaPeriodUs)),
    }),
    // One process short of memory takes its whole container with it, rather than leaving it half alive.
    ...(settings.cgroupVersion === 2 && !settings.singleProcessOomKill && { unified: { 'memory.oom.group': '1' } }),
  });
}

/** Containers get no swap (KubeletConfiguration `swapBehavior: NoSwap`), where the kernel can tell. */
function forbidSwap(resources: LinuxContainerResources, { swapAccounting, cgroupVersion }: ResourceSettings): void {
  if (!swapAccounting) return;
  if (cgroupVersion === 2) resources.unified['memory.swap.max'] = '0';
  else resources.memorySwapLimitInBytes = resources.memoryLimitInBytes;
}

/** One entry for each page size of the node, so that what is not asked for is forbidden. */
function hugepageLimits(limits: ResourceAmounts, pageSizes: readonly string[]): HugepageLimit[] {
  const bytesBySize = new Map<string, bigint>();
  for (const [name, quantity] of Object.entries(limits)) {
    const size = /^hugepages-(.+)$/.exec(name)?.[1];
    if (size !== undefined)
      bytesBySize.set(runtimePageSize(quantityValue(parseQuantity(size))), quantityValue(quantity));
  }
  return pageSizes.map((pageSize) => create(HugepageLimitSchema, { pageSize, limit: bytesBySize.get(pageSize) ?? 0n }));
}

/** `2MB` for 2 MiB: the kernel's notation in cgroup file names, whose units are powers of 1024 despite their looks. */
function runtimePageSize(bytes: bigint): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1024n && size % 1024n === 0n && unit < units.length - 1) {
    size /= 1024n;
    unit++;
  }
  return `${String(size)}${units[unit]!}`;
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
