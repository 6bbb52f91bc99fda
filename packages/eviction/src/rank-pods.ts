import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import {
  compareQuantities,
  makeQuantity,
  type ParsedQuantity,
  subtractQuantities,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import type { FileSystemLayout, PodUse } from './node-summary.ts';
import { bytes, type DiskPart, diskUsage, rankedRequest } from './pod-usage.ts';
import { isMemorySignal } from './signals.ts';

/** Usage of the resource of a signal by a pod. */
export interface Consumption {
  readonly used: ParsedQuantity;
  readonly requested: ParsedQuantity;
  /** Usage above the request, by which pods of one priority are ordered. */
  readonly excess: ParsedQuantity;
}

/** A pod and what it is ranked by. */
export interface RankedPod {
  readonly pod: Pod;
  /** Absent: nothing was measured of the pod. */
  readonly consumption?: Consumption;
}

/**
 * Orders pods by who is evicted first for a signal: pods without statistics, pods that use more than they request, lower priority, larger usage above the request.
 * Processes have no requests. Pods that are equal in all keep their order.
 */
export function rankPods(
  signal: EvictionSignal,
  layout: FileSystemLayout,
  pods: readonly Pod[],
  usage: ReadonlyMap<string, PodUse>,
): readonly RankedPod[] {
  const ranks = pods.map((pod): RankedPod => {
    const use = usage.get(podUid(pod));
    return { pod, ...(use !== undefined && { consumption: consumptionOf(signal, layout, pod, use) }) };
  });
  return ranks.toSorted(signal === 'pid.available' ? compareProcesses : compareUsage);
}

function compareUsage(left: RankedPod, right: RankedPod): number {
  return (
    compareMeasured(left, right, (a, b) => Number(exceedsRequest(b)) - Number(exceedsRequest(a))) ||
    comparePriority(left, right) ||
    compareExcess(left, right)
  );
}

function compareProcesses(left: RankedPod, right: RankedPod): number {
  return comparePriority(left, right) || compareExcess(left, right);
}

function exceedsRequest({ used, requested }: Consumption): boolean {
  return compareQuantities(used, requested) > 0;
}

function comparePriority({ pod: left }: RankedPod, { pod: right }: RankedPod): number {
  return (left.spec?.priority ?? 0) - (right.spec?.priority ?? 0);
}

function compareExcess(left: RankedPod, right: RankedPod): number {
  return compareMeasured(left, right, (a, b) => compareQuantities(b.excess, a.excess));
}

/** Compares what was measured. Pods without statistics come first. */
function compareMeasured(
  { consumption: left }: RankedPod,
  { consumption: right }: RankedPod,
  compare: (left: Consumption, right: Consumption) => number,
): number {
  if (left !== undefined && right !== undefined) return compare(left, right);
  return Number(left !== undefined) - Number(right !== undefined);
}

function consumptionOf(signal: EvictionSignal, layout: FileSystemLayout, pod: Pod, use: PodUse): Consumption {
  if (signal === 'pid.available') {
    const used = makeQuantity(use.process_stats?.process_count ?? 0);
    return { used, requested: zeroQuantity, excess: used };
  }
  if (isMemorySignal(signal))
    return aboveRequest(bytes(use.memory?.workingSetBytes ?? 0), rankedRequest(pod, 'memory'));
  const disk = diskUsage(pod, use, diskParts(signal, layout));
  const request = rankedRequest(pod, 'ephemeral-storage');
  if (!signal.endsWith('.inodesFree')) return aboveRequest(bytes(disk.bytes), request);
  // Inodes cannot be requested. As in the kubelet, the bytes that are requested are taken off their number.
  const inodes = makeQuantity(disk.inodes);
  return { used: inodes, requested: zeroQuantity, excess: subtractQuantities(inodes, request) };
}

function aboveRequest(used: ParsedQuantity, requested: ParsedQuantity): Consumption {
  return { used, requested, excess: subtractQuantities(used, requested) };
}

/** Returns the parts of pods that use the file system of a signal. */
function diskParts(signal: EvictionSignal, layout: FileSystemLayout): readonly DiskPart[] {
  const isOfImages = signal.startsWith('imagefs.');
  switch (layout) {
    case 'shared':
    case 'separateContainers':
      return ['writableLayers', 'logs', 'localVolumes'];
    case 'dedicated':
      return signal.startsWith('nodefs.') ? ['logs', 'localVolumes'] : ['writableLayers'];
    case 'split':
      // Images are of no pod.
      return isOfImages ? [] : ['writableLayers', 'logs', 'localVolumes'];
  }
}
