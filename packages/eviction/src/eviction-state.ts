import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import type { FileSystemLayout } from './node-summary.ts';
import type { Threshold } from './parse-thresholds.ts';
import type { PressureCondition } from './signals.ts';

/** Settings of evictions (KubeletConfiguration fields of similar names). */
export interface EvictionSettings {
  readonly thresholds: readonly Threshold[];
  /** Time for which a condition stays after it was last observed. */
  readonly pressureTransitionPeriodMs: number;
  /** Longest time that a pod has for its end when it is evicted at a soft threshold. */
  readonly maxPodGracePeriodSeconds: number;
  /** Whether limits of local storage are enforced. */
  readonly localStorageCapacityIsolation: boolean;
}

/** Everything that one synchronization leaves to the next. A value: it never changes. */
export interface EvictionState {
  readonly settings: EvictionSettings;
  /** Absent before the first synchronization, which adds the thresholds of writable layers. */
  readonly layout?: FileSystemLayout;
  /** Thresholds in effect. */
  readonly thresholds: readonly Threshold[];
  /** Since when the node is beyond a threshold, in milliseconds of the clock. */
  readonly metSince: ReadonlyMap<Threshold, number>;
  /** Thresholds beyond their grace period, until their minimum reclaim is reached. */
  readonly unresolved: readonly Threshold[];
  /** When a condition was last observed. */
  readonly observedAt: ReadonlyMap<PressureCondition, number>;
  /** Conditions of the node, in a fixed order. */
  readonly conditions: readonly PressureCondition[];
  /** Times of the last measurements. A threshold is acted on once for each of them. */
  readonly measuredAt: ReadonlyMap<EvictionSignal, number>;
  /** Evictions whose pods may not have ended yet. */
  readonly evicting: readonly PendingEviction[];
}

/** An eviction whose pod may not have ended yet. */
export interface PendingEviction {
  readonly uid: string;
  readonly isSoft: boolean;
  /** Time after which it holds up others no longer. */
  readonly deadlineMs: number;
}

/** Creates the state before the first synchronization. */
export function initialEvictionState(settings: EvictionSettings): EvictionState {
  return {
    settings,
    thresholds: settings.thresholds,
    metSince: new Map(),
    unresolved: [],
    observedAt: new Map(),
    conditions: [],
    measuredAt: new Map(),
    evicting: [],
  };
}
