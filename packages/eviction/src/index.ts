export { eviction, type EvictionOptions } from './eviction-module.ts';
export { admitUnderPressure, type PressureRejection } from './admit-under-pressure.ts';
export { evictedStatus } from './evicted-status.ts';
export {
  type EvictionSettings,
  type EvictionState,
  initialEvictionState,
  type PendingEviction,
} from './eviction-state.ts';
export { EVICTED, type Eviction, type EvictionCause } from './evictions.ts';
export type * from './node-summary.ts';
export { parseThresholds, type Threshold, type ThresholdConfiguration } from './parse-thresholds.ts';
export type { ReclaimStep } from './reclaim-steps.ts';
export type { PressureCondition, StarvedResource } from './signals.ts';
export {
  type EvictionAction,
  type EvictionDecision,
  type EvictionObservation,
  type Reclaim,
  synchronize,
  synchronizeAfterReclaim,
} from './synchronize.ts';
