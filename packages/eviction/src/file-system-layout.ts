import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import type { FileSystemLayout } from './node-summary.ts';
import type { Threshold } from './parse-thresholds.ts';

/** Reports whether images lie on a file system of their own. */
export function hasDedicatedImages(layout: FileSystemLayout): boolean {
  return layout === 'dedicated' || layout === 'split';
}

/** Thresholds of writable layers, which follow those of the file system that holds the layers. */
const CONTAINER_SIGNALS = [
  ['containerfs.available', 'nodefs.available', 'imagefs.available'],
  ['containerfs.inodesFree', 'nodefs.inodesFree', 'imagefs.inodesFree'],
] as const satisfies readonly (readonly [EvictionSignal, EvictionSignal, EvictionSignal])[];

/** Thresholds with those of writable layers. */
export interface LayoutThresholds {
  /** Thresholds of the configuration, without those of writable layers that have no counterpart. Of several the last one follows its counterpart. */
  readonly configured: readonly Threshold[];
  /** The former and those that were added for writable layers. */
  readonly all: readonly Threshold[];
}

/**
 * Makes the thresholds of writable layers those of the file system that holds the layers, whatever the configuration says of them. A file system of layers alone has
 * the thresholds that are configured.
 */
export function applyLayout(thresholds: readonly Threshold[], layout: FileSystemLayout): LayoutThresholds {
  if (layout === 'separateContainers') return { configured: thresholds, all: thresholds };
  const replaced = new Map<number, Threshold | undefined>();
  const added: Threshold[] = [];
  for (const [signal, ofNode, ofImages] of CONTAINER_SIGNALS) {
    const sourceSignal = layout === 'dedicated' ? ofImages : ofNode;
    for (const isHard of [true, false]) {
      const matches = (threshold: Threshold): boolean => (threshold.gracePeriodMs === 0) === isHard;
      const source = thresholds.findLast((threshold) => threshold.signal === sourceSignal && matches(threshold));
      const index = thresholds.findLastIndex((threshold) => threshold.signal === signal && matches(threshold));
      const copy = source && { ...source, signal };
      if (index >= 0) replaced.set(index, copy);
      else if (copy !== undefined) added.push(copy);
    }
  }
  const configured = thresholds.flatMap((threshold, index) => {
    const kept = replaced.has(index) ? replaced.get(index) : threshold;
    return kept === undefined ? [] : [kept];
  });
  return { configured, all: [...configured, ...added] };
}
