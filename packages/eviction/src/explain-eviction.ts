import { type ParsedQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import { evictionQuantity } from '@rxlet/pod-model/eviction-thresholds';
import type { Observations } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import type { Consumption } from './rank-pods.ts';
import { resourceOf, type StarvedResource } from './signals.ts';

/** Says what a pod used and requested, and what the node had left: `used 1.4Gi, requested 200Mi; node had 180Mi left of a threshold of 250Mi`. */
export function explainEviction(
  { signal, value }: Threshold,
  consumption: Consumption | undefined,
  observations: Observations,
): string {
  const resource = resourceOf(signal);
  const show = (amount: ParsedQuantity): string => showAmount(amount, resource);
  const ofPod =
    consumption === undefined
      ? 'usage unknown'
      : `used ${show(consumption.used)}, requested ${show(consumption.requested)}`;
  const observed = observations.get(signal);
  if (observed === undefined) return ofPod;
  const threshold = evictionQuantity(value, observed.capacity);
  return `${ofPod}; node had ${show(observed.available)} left of a threshold of ${show(threshold)}`;
}

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** Shows bytes with at most one decimal, and counts as they are. */
function showAmount(amount: ParsedQuantity, resource: StarvedResource): string {
  const value = Number(quantityValue(amount));
  if (resource === 'inodes') return `${String(value)} inodes`;
  if (resource === 'pids') return `${String(value)} processes`;
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10)));
  return `${String(Math.round((value / 2 ** (10 * power)) * 10) / 10)}${UNITS[power]!}`;
}
