import type { Pod, Quantity, Volume } from '@rxlet/kube-api';
import {
  addQuantities,
  isZeroQuantity,
  makeQuantity,
  type ParsedQuantity,
  parseQuantity,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import { hasPodLevelResources, isPodLevelResource, podRequests } from '@rxlet/pod-model/resources';
import type { DiskUse, NodeSummary, PodUse } from './node-summary.ts';

/** Parts of a pod that use a file system. */
export type DiskPart = 'writableLayers' | 'logs' | 'localVolumes';

/** Bytes and inodes in use. */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/** Indexes the resources that pods use by the UID of the pod. */
export function usageByUid({ pods }: NodeSummary): ReadonlyMap<string, PodUse> {
  return new Map(pods.map((pod) => [pod.podRef.uid, pod]));
}

/** Reports whether the measurement lacks an emptyDir on disk, as before the volume is mounted. */
export function hasUnmeasuredVolume({ spec }: Pod, use: PodUse): boolean {
  const measured = new Set((use.volume ?? []).map(({ name }) => name));
  return (spec?.volumes ?? []).some(
    ({ name, emptyDir }) => emptyDir !== undefined && !emptyDir.medium && !measured.has(name),
  );
}

/** Returns what the given parts of a pod use. */
export function diskUsage(pod: Pod, use: PodUse, parts: readonly DiskPart[]): DiskUsage {
  const used: (DiskUse | undefined)[] = [];
  for (const { rootfs, logs } of use.containers ?? []) {
    if (parts.includes('writableLayers')) used.push(rootfs);
    if (parts.includes('logs')) used.push(logs);
  }
  if (parts.includes('localVolumes')) {
    const volumes = (pod.spec?.volumes ?? []).filter(isLocal);
    const measured = new Map((use.volume ?? []).map((volume) => [volume.name, volume]));
    for (const { name } of volumes) used.push(measured.get(name));
  }
  const sum = (field: keyof DiskUse): number => used.reduce((total, part) => total + (part?.[field] ?? 0), 0);
  return { bytes: sum('usedBytes'), inodes: sum('inodesUsed') };
}

/** Reports whether a volume lies on the disk of the node. */
function isLocal({ hostPath, gitRepo, emptyDir, configMap }: Volume): boolean {
  const isOnDisk = emptyDir !== undefined && (emptyDir.medium ?? '') === '';
  return hostPath !== undefined || gitRepo !== undefined || isOnDisk || configMap !== undefined;
}

/**
 * Returns the request of a pod by which it is ranked, with its overhead. A pod with pod-level resources has no requests besides those: a request of its containers
 * for ephemeral storage does not count.
 */
export function rankedRequest(pod: Pod, resource: string): ParsedQuantity {
  const request = hasPodLevelResources(pod)
    ? quantityOf(isPodLevelResource(resource) ? pod.spec!.resources!.requests?.[resource] : undefined)
    : (podRequests(pod, { excludeOverhead: true })[resource] ?? zeroQuantity);
  return isZeroQuantity(request) ? request : addQuantities(request, quantityOf(pod.spec!.overhead?.[resource]));
}

/** Parses a quantity; an absent one is zero. */
export function quantityOf(text: Quantity | undefined): ParsedQuantity {
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

/** Returns bytes as a quantity. */
export function bytes(amount: number): ParsedQuantity {
  return makeQuantity(amount, 0, 'binarySI');
}
