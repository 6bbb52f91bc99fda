import { toRfc3339 } from '@rxlet/component-base';
import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { findCondition } from './condition-types.ts';

/** Conditions with transition times from the status manager. Those of a resize bring their own. */
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
 * Adds the parts of a status that depend on the pod's history: its first start time, the times at which its conditions changed, and an observed generation that never
 * decreases.
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
