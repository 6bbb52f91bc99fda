import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import type { FileSystemLayout } from './node-summary.ts';
import { conditionOf } from './signals.ts';

/** Garbage collection that frees resources of the node without ending a pod: of all unused containers, or of all unused images. */
export type ReclaimStep = 'containers' | 'images';

/** Returns what to collect for a signal before a pod is evicted, in this order. */
export function reclaimSteps(signal: EvictionSignal, layout: FileSystemLayout): readonly ReclaimStep[] {
  if (conditionOf(signal) !== 'DiskPressure') return [];
  switch (layout) {
    case 'shared':
    case 'separateContainers':
      return ['containers', 'images'];
    case 'dedicated':
      return signal.startsWith('nodefs.') ? [] : ['containers', 'images'];
    case 'split':
      return signal.startsWith('imagefs.') ? ['images'] : ['containers'];
  }
}
