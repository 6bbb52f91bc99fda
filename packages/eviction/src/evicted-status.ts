import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { type Eviction, EVICTED } from './evictions.ts';

/** Returns the status of a pod after its eviction: failed, with the reason, and the condition where the eviction has one. */
export function evictedStatus(pod: Pod, { message, condition }: Pick<Eviction, 'message' | 'condition'>): PodStatus {
  const conditions = pod.status?.conditions ?? [];
  return {
    ...pod.status,
    phase: 'Failed',
    reason: EVICTED,
    message,
    ...(condition !== undefined && { conditions: withCondition(conditions, condition) }),
  };
}

function withCondition(conditions: readonly PodCondition[], condition: PodCondition): PodCondition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
}
