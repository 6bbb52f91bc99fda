import { parseGoDuration } from '@rxlet/component-base/go';
import {
  type EvictionSignal,
  evictionSignal,
  type EvictionValue,
  EvictionValueError,
  parseEvictionReclaim,
  parseEvictionThreshold,
} from '@rxlet/pod-model/eviction-thresholds';

/** A limit of a signal. The node is beyond it while less than its value is available. */
export interface Threshold {
  readonly signal: EvictionSignal;
  readonly value: EvictionValue;
  /** Time for which the limit must be exceeded before pods are evicted. 0: a hard threshold. */
  readonly gracePeriodMs: number;
  /** Amount beyond the value that must be available before the threshold counts as resolved. */
  readonly minReclaim?: EvictionValue;
}

type Values = Readonly<Record<string, string>>;

/** Fields of a KubeletConfiguration that set thresholds. */
export interface ThresholdConfiguration {
  readonly evictionHard?: Values | undefined;
  readonly evictionSoft?: Values | undefined;
  readonly evictionSoftGracePeriod?: Values | undefined;
  readonly evictionMinimumReclaim?: Values | undefined;
  readonly enforceNodeAllocatable?: readonly string[] | undefined;
}

/**
 * Parses the thresholds of a configuration: the hard ones, the soft ones, and where the limits of all pods are enforced those of the pods' own memory.
 * @throws EvictionValueError for a value that cannot be used
 */
export function parseThresholds(configuration: ThresholdConfiguration): readonly Threshold[] {
  const { evictionHard = {}, evictionSoft = {}, evictionSoftGracePeriod = {} } = configuration;
  const gracePeriods = mapSignals(evictionSoftGracePeriod, parseGracePeriod);
  const reclaims = mapSignals(configuration.evictionMinimumReclaim ?? {}, parseEvictionReclaim);
  const hard = parseValues(evictionHard).map(([signal, value]) => ({ signal, value, gracePeriodMs: 0 }));
  const soft = parseValues(evictionSoft).map(([signal, value]) => {
    const gracePeriodMs = gracePeriods.get(signal);
    if (gracePeriodMs !== undefined) return { signal, value, gracePeriodMs };
    throw new EvictionValueError(
      `evictionSoft: a grace period must be specified for ${signal} in evictionSoftGracePeriod`,
    );
  });
  const thresholds = [...hard, ...soft].map((threshold): Threshold => {
    const minReclaim = reclaims.get(threshold.signal);
    return { ...threshold, ...(minReclaim && { minReclaim }) };
  });
  if (configuration.enforceNodeAllocatable?.includes('pods') !== true) return thresholds;
  return [...thresholds, ...thresholds.filter(isHardMemory).map(toAllocatable)];
}

function isHardMemory({ signal, gracePeriodMs }: Threshold): boolean {
  return signal === 'memory.available' && gracePeriodMs === 0;
}

/** Applies a threshold of the node's memory to the memory of the cgroup of all pods. */
function toAllocatable(threshold: Threshold): Threshold {
  return { ...threshold, signal: 'allocatableMemory.available' };
}

function parseValues(values: Values): readonly (readonly [EvictionSignal, EvictionValue])[] {
  return Object.entries(values).flatMap(([name, text]) => {
    const value = parseEvictionThreshold(name, text);
    return value === undefined ? [] : [[evictionSignal(name), value] as const];
  });
}

function mapSignals<T>(
  values: Values,
  parse: (signal: EvictionSignal, text: string) => T,
): ReadonlyMap<EvictionSignal, T> {
  return new Map(
    Object.entries(values).map(([name, text]) => {
      const signal = evictionSignal(name);
      return [signal, parse(signal, text)];
    }),
  );
}

function parseGracePeriod(signal: EvictionSignal, text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 0) return ms;
  throw new EvictionValueError(`eviction grace period "${text}" of ${signal} must be a duration of at least 0s`);
}
