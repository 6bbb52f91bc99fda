import type { EmptyDirVolumeSource, Pod, Quantity } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { podCgroupResources } from '@rxlet/pod-model/cgroups';
import {
  compareQuantities,
  formatQuantity,
  makeQuantity,
  type ParsedQuantity,
  parseQuantity,
  quantityValue,
} from '@rxlet/pod-model/quantity';
import { isPodLevelResource } from '@rxlet/pod-model/resources';
import type { MemoryFileSystem } from './empty-directory.ts';

const HUGE_PAGES = 'HugePages';
const HUGE_PAGES_PREFIX = 'HugePages-';
const RESOURCE_PREFIX = 'hugepages-';

/** Returns the tmpfs of a memory volume: its size is the least of its limit, the pod's memory limit and the memory of the node's pods. */
export function tmpfsOf(
  pod: Pod,
  { sizeLimit }: Pick<EmptyDirVolumeSource, 'sizeLimit'>,
  allocatable: Readonly<Record<string, Quantity>>,
  supportsNoSwap: boolean,
): MemoryFileSystem {
  const ofNode = parseQuantity(allocatable['memory'] ?? '0');
  const { memoryLimitBytes } = podCgroupResources(pod, { enforceCpuLimits: false, cpuPeriodUs: 100_000 });
  const ofPod = memoryLimitBytes === undefined ? undefined : makeQuantity(BigInt(memoryLimitBytes), 0, 'binarySI');
  const limits = [ofPod, sizeLimit === undefined ? undefined : parseQuantity(sizeLimit)];
  const size = quantityValue(limits.reduce<ParsedQuantity>(lesser, ofNode));
  return {
    source: 'tmpfs',
    fsType: 'tmpfs',
    // Without a size the kernel allows half of the machine's memory.
    options: [...(size > 0n ? [`size=${String(size)}`] : []), ...(supportsNoSwap ? ['noswap'] : [])],
  };
}

/** Returns the hugetlbfs of a volume. @throws Error when the pod does not request huge pages of the size, or of several sizes */
export function hugetlbfsOf(pod: Pod, medium: string): MemoryFileSystem {
  const sizes = requestedPageSizes(pod);
  const wanted = medium === HUGE_PAGES ? undefined : parseQuantity(medium.slice(HUGE_PAGES_PREFIX.length));
  const [size, ...others] =
    wanted === undefined ? sizes : sizes.filter((one) => compareQuantities(one, wanted) === 0).slice(0, 1);
  if (others.length > 0)
    throw new Error(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  if (size === undefined)
    throw new Error(`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`);
  return { source: 'nodev', fsType: 'hugetlbfs', options: [`pagesize=${formatQuantity(size)}`] };
}

/** Reports whether a medium is that of huge pages, of any or of one size. */
export function isHugePagesMedium(medium: string): boolean {
  return medium === HUGE_PAGES || medium.startsWith(HUGE_PAGES_PREFIX);
}

function lesser(size: ParsedQuantity, limit: ParsedQuantity | undefined): ParsedQuantity {
  if (limit === undefined || quantityValue(limit) <= 0n) return size;
  // A node without known memory limits nothing.
  return quantityValue(size) <= 0n || compareQuantities(limit, size) <= 0 ? limit : size;
}

function requestedPageSizes(pod: Pod): readonly ParsedQuantity[] {
  const lists = [
    ...(Object.keys(pod.spec?.resources?.requests ?? {}).some(isPodLevelResource)
      ? [pod.spec?.resources?.requests]
      : []),
    ...podContainers(pod, ['regular', 'init']).map(({ container }) => container.resources?.requests),
  ];
  const sizes: ParsedQuantity[] = [];
  for (const name of lists.flatMap((list) => Object.keys(list ?? {}))) {
    if (!name.startsWith(RESOURCE_PREFIX)) continue;
    const size = parseQuantity(name.slice(RESOURCE_PREFIX.length));
    if (!sizes.some((known) => compareQuantities(known, size) === 0)) sizes.push(size);
  }
  return sizes;
}
