import type { NodeMemory } from '@rxlet/agent-api/node';
import { quantityValue } from '@rxlet/pod-model/quantity';
import { evictionQuantity } from '@rxlet/pod-model/eviction-thresholds';
import { observe } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import { isMemorySignal } from './signals.ts';

/** Shortest pause between two looks at the memory, in milliseconds. */
const MIN_PAUSE_MS = 200;
/** Growth of memory that is expected at most. A node with a larger margin is looked at less often. */
const GROWTH_BYTES_PER_SECOND = 512 * 2 ** 20;

/**
 * Returns the memory that is left above the hard threshold that is closest, in bytes: 0 or less beyond it, `Infinity` without such a threshold or a measurement. Soft
 * thresholds have a grace period and need no haste.
 */
export function memoryMarginBytes(thresholds: readonly Threshold[], { node, pods }: NodeMemory): number {
  const observations = observe({
    node: { ...(node && { memory: node }), ...(pods && { systemContainers: [{ name: 'pods', memory: pods }] }) },
    pods: [],
  });
  const margins = thresholds.flatMap(({ signal, value, gracePeriodMs }) => {
    const observed = gracePeriodMs === 0 && isMemorySignal(signal) ? observations.get(signal) : undefined;
    if (observed === undefined) return [];
    const limit = evictionQuantity(value, observed.capacity);
    return [Number(quantityValue(observed.available) - quantityValue(limit))];
  });
  return Math.min(...margins);
}

/** Returns the pause before the next look at the memory, in milliseconds: the shorter the margin, the sooner, at least 200 ms. */
export function memoryPauseMs(marginBytes: number): number {
  return Math.max(MIN_PAUSE_MS, (marginBytes / GROWTH_BYTES_PER_SECOND) * 1000);
}
