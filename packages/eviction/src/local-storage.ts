import type { Pod } from '@rxlet/kube-api';
import { goQuote } from '@rxlet/component-base/go';
import { isCriticalPod, podUid } from '@rxlet/pod-model';
import {
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  type ParsedQuantity,
  parseQuantity,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import { podLimits } from '@rxlet/pod-model/resources';
import { type Eviction, IMMEDIATE_GRACE_PERIOD_SECONDS } from './evictions.ts';
import { hasDedicatedImages } from './file-system-layout.ts';
import type { FileSystemLayout, PodUse } from './node-summary.ts';
import { bytes } from './pod-usage.ts';

const STORAGE = 'ephemeral-storage';

/** A limit of local storage that a pod exceeds. */
type Excess = Pick<Eviction, 'cause' | 'message'>;

/** Returns the evictions of all pods that exceed the size of an emptyDir, or the limit of ephemeral storage of the pod or of a container. */
export function evictLocalStorage(
  pods: readonly Pod[],
  usage: ReadonlyMap<string, PodUse>,
  layout: FileSystemLayout,
): readonly Eviction[] {
  return pods.flatMap((pod) => {
    const use = usage.get(podUid(pod));
    if (use === undefined || isCriticalPod(pod)) return [];
    const excess = emptyDirExcess(pod, use) ?? podExcess(pod, use) ?? containerExcess(pod, use, layout);
    if (excess === undefined) return [];
    const explanation = excess.message.trimEnd();
    return [{ pod, ...excess, explanation, gracePeriodSeconds: IMMEDIATE_GRACE_PERIOD_SECONDS, isSoft: false }];
  });
}

/** Reports whether the local storage of a pod is limited, so that its usage must be measured. */
export function hasLocalStorageLimit(pod: Pod): boolean {
  if (isCriticalPod(pod)) return false;
  const isSized = pod.spec?.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) === true;
  return isSized || podLimits(pod)[STORAGE] !== undefined;
}

function emptyDirExcess(pod: Pod, use: PodUse): Excess | undefined {
  const used = new Map((use.volume ?? []).map(({ name, usedBytes }) => [name, usedBytes]));
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    const usedBytes = used.get(name);
    if (emptyDir?.sizeLimit === undefined || usedBytes === undefined) continue;
    const limit = parseQuantity(emptyDir.sizeLimit);
    if (compareQuantities(limit, zeroQuantity) <= 0 || compareQuantities(bytes(usedBytes), limit) <= 0) continue;
    const message = `Usage of EmptyDir volume ${goQuote(name)} exceeds the limit ${goQuote(formatQuantity(limit))}. `;
    return { cause: 'emptydirfs.limit', message };
  }
  return undefined;
}

function podExcess(pod: Pod, use: PodUse): Excess | undefined {
  const limit = podLimits(pod)[STORAGE];
  if (limit === undefined || compareQuantities(bytes(use[STORAGE]?.usedBytes ?? 0), limit) <= 0) return undefined;
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(limit)}. `;
  return { cause: 'ephemeralpodfs.limit', message };
}

function containerExcess(pod: Pod, use: PodUse, layout: FileSystemLayout): Excess | undefined {
  const limits = new Map<string, ParsedQuantity>();
  for (const { name, resources } of pod.spec?.containers ?? []) {
    const limit = resources?.limits?.[STORAGE];
    if (limit !== undefined && !isZeroQuantity(parseQuantity(limit))) limits.set(name, parseQuantity(limit));
  }
  for (const { name, logs, rootfs } of use.containers ?? []) {
    const limit = limits.get(name);
    const layerBytes = hasDedicatedImages(layout) ? 0 : (rootfs?.usedBytes ?? 0);
    if (limit === undefined || compareQuantities(bytes((logs?.usedBytes ?? 0) + layerBytes), limit) <= 0) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit ${goQuote(formatQuantity(limit))}. `;
    return { cause: 'ephemeralcontainerfs.limit', message };
  }
  return undefined;
}
