import { toRfc3339 } from '@rxlet/component-base';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { findCondition } from './condition-types.ts';
import { condition } from './pod-conditions.ts';

/** Input of {@link resizeConditions}. */
export interface ResizeConditionsInput {
  readonly pod: Pod;
  /** Last generated status, from the status manager. */
  readonly previous: PodStatus;
  /** Whether resources of a running container or of the pod are not in effect yet. */
  readonly isInProgress: boolean;
  /** Message of the last attempt to change the resources, if it failed. */
  readonly error?: string | undefined;
  readonly nowMs: number;
}

/**
 * Returns the conditions of an in-place resize (KEP-1287) for `generatePodStatus`: `PodResizeInProgress` while one is in progress. Its transition time is the last
 * change of its reason, also over a restart of the agent. `PodResizePending` comes from the module that decides on resizes.
 */
export function resizeConditions(input: ResizeConditionsInput): readonly PodCondition[] {
  const { pod, previous, isInProgress, error, nowMs } = input;
  if (!isInProgress) return [];
  const type = 'PodResizeInProgress';
  const before = findCondition(previous.conditions, type);
  const now = toRfc3339(nowMs);
  const reason = error === undefined ? undefined : 'Error';
  const isSameReason = before !== undefined && (before.reason || undefined) === reason;
  return [
    {
      ...condition(pod, type, true, reason, error),
      lastProbeTime: now,
      lastTransitionTime: (isSameReason ? before.lastTransitionTime : undefined) ?? now,
    },
  ];
}
