import type { Pod, PodCondition } from '@rxlet/kube-api';

/** The reason of evicted pods, of pods that are rejected under pressure, and of the events about them. */
export const EVICTED = 'Evicted';

/** Cause of an eviction, as the metric `evictions` labels it: a signal, or the limit of a pod that was exceeded. */
export type EvictionCause = string;

/** The decision to evict a pod. */
export interface Eviction {
  readonly pod: Pod;
  readonly cause: EvictionCause;
  /** For the status of the pod, and the event. */
  readonly message: string;
  /** Amounts behind the eviction, for logs: used, requested, left on the node. */
  readonly explanation: string;
  /** Of the event. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** For the status of the pod. */
  readonly condition?: PodCondition;
  /** Time that the pod has for its end. */
  readonly gracePeriodSeconds: number;
  /** Whether the threshold is a soft one, so that the pod may take its time. */
  readonly isSoft: boolean;
}

/** Grace period of evictions at a hard threshold or a limit. */
export const IMMEDIATE_GRACE_PERIOD_SECONDS = 1;
