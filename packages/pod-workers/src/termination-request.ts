import type { PodStatus } from '@rxlet/kube-api';
import type { TerminationReason } from './termination-reason.ts';

/** Request to terminate a pod. */
export interface TerminationRequest {
  readonly reason: TerminationReason;
  /** Replaces the pod's grace period, in seconds; 0 counts as 1. Ignored when longer than the one that applies already. */
  readonly gracePeriodSeconds?: number;
  /**
   * Adds the cause to the pod's status, such as an eviction's phase `Failed` with reason and message. Reaches the syncer as
   * {@link TerminatingRequest.amendStatus}; of several requests, the last one with it counts. Must neither throw nor change its argument.
   */
  readonly amendStatus?: (status: PodStatus) => PodStatus;
}
