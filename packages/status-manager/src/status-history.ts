import { toRfc3339 } from '@rxlet/component-base';
import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { findCondition } from './condition-types.ts';

/** The conditions of which the manager keeps since when they hold. Those of a resize come with their times; others belong to others. */
const timedConditionTypes: ReadonlySet<string> = new Set([
  'ContainersReady',
  'Ready',
  'Initialized',
  'PodReadyToStartContainers',
  'PodScheduled',
  'DisruptionTarget',
  'AllContainersRestarting',
]);

/**
 * The status with what only the history of the pod tells: the start time it had from the first, the times at which its conditions changed, and an
 * observed generation that never goes back.
 */
export function withHistory(status: PodStatus, previous: PodStatus, nowMs: number): PodStatus {
  const now = toRfc3339(nowMs);
  const observedGeneration = Math.max(status.observedGeneration ?? 0, previous.observedGeneration ?? 0);
  return {
    ...status,
    startTime: previous.startTime ?? status.startTime ?? now,
    ...(status.conditions !== undefined && {
      conditions: status.conditions.map((condition) => withTransitionTime(condition, previous, now)),
    }),
    ...(observedGeneration > 0 && { observedGeneration }),
  };
}

function withTransitionTime(condition: PodCondition, previous: PodStatus, now: string): PodCondition {
  if (!timedConditionTypes.has(condition.type)) return condition;
  const before = findCondition(previous.conditions, condition.type);
  if (before?.status !== condition.status) return { ...condition, lastTransitionTime: now };
  const { lastTransitionTime: _, ...rest } = condition;
  return { ...rest, ...(before.lastTransitionTime && { lastTransitionTime: before.lastTransitionTime }) };
}
