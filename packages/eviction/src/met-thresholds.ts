import { addQuantities, compareQuantities } from '@rxlet/pod-model/quantity';
import { evictionQuantity, type EvictionValue } from '@rxlet/pod-model/eviction-thresholds';
import type { Observations } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import { isMemorySignal } from './signals.ts';

/** Returns the thresholds that the node is beyond, whatever their grace period. A threshold without an observation is not met. */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  observations: Observations,
  { withMinReclaim }: { readonly withMinReclaim: boolean },
): readonly Threshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations.get(signal);
    if (observed === undefined) return false;
    const limit = evictionQuantity(value, observed.capacity);
    const required =
      withMinReclaim && minReclaim !== undefined
        ? addQuantities(limit, evictionQuantity(minReclaim, observed.capacity))
        : limit;
    return compareQuantities(required, observed.available) > 0;
  });
}

/** Adds thresholds that are not in the list yet. */
export function mergeThresholds(list: readonly Threshold[], more: readonly Threshold[]): readonly Threshold[] {
  return [...list, ...more.filter((threshold) => !list.some((other) => areEqual(threshold, other)))];
}

/** Orders thresholds by what is reclaimed first: memory, then the others; of each the hard ones first. */
export function byUrgency(thresholds: readonly Threshold[]): readonly Threshold[] {
  const rank = ({ signal, gracePeriodMs }: Threshold): number =>
    (isMemorySignal(signal) ? 0 : 2) + (gracePeriodMs === 0 ? 0 : 1);
  return thresholds.toSorted((left, right) => rank(left) - rank(right));
}

function areEqual(left: Threshold, right: Threshold): boolean {
  return (
    left.signal === right.signal &&
    left.gracePeriodMs === right.gracePeriodMs &&
    areEqualValues(left.value, right.value)
  );
}

function areEqualValues(left: EvictionValue, right: EvictionValue): boolean {
  if (left.quantity === undefined || right.quantity === undefined) return left.share === right.share;
  return compareQuantities(left.quantity, right.quantity) === 0;
}
