import { toRfc3339 } from '@rxlet/component-base';
import type { PodCondition, PodStatus } from '@rxlet/kube-api';

/** A resize that was not put into effect. */
export interface PendingResize {
  /** `Deferred` when it may fit later, `Infeasible` when it never does. */
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  /** Generation of the pod that was judged. */
  readonly generation: number | undefined;
  /** Since when the reason holds, epoch milliseconds. */
  readonly sinceMs: number;
}

/** Returns the condition of a pod whose resize is pending (KEP-1287). */
export function pendingCondition(resize: PendingResize, nowMs: number): PodCondition {
  const { reason, message, generation, sinceMs } = resize;
  return {
    type: 'PodResizePending',
    status: 'True',
    ...(generation !== undefined && generation !== 0 && { observedGeneration: generation }),
    reason,
    message,
    lastProbeTime: toRfc3339(nowMs),
    lastTransitionTime: toRfc3339(sinceMs),
  };
}

/** Returns the pending resize that a status shows, as of an earlier run of the agent. */
export function reportedResize(status: PodStatus | undefined): PendingResize | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const { reason, message = '', observedGeneration: generation, lastTransitionTime = '' } = condition ?? {};
  if (reason !== 'Deferred' && reason !== 'Infeasible') return undefined;
  return { reason, message, generation, sinceMs: Date.parse(lastTransitionTime) };
}
