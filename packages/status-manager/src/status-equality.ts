import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { withoutForeignFields } from './api/foreign-fields.ts';
import { isOwnedCondition, isSharedCondition } from './condition-types.ts';

/**
 * Reports whether two statuses are equal in the parts that the node agent owns. Its own conditions are compared by status, reason and message; conditions and fields
 * of other writers are ignored. Absent and empty values are equal.
 */
export function sameStatus(a: PodStatus, b: PodStatus): boolean {
  return sameConditions(a.conditions, b.conditions) && sameValue(withoutForeignParts(a), withoutForeignParts(b));
}

function withoutForeignParts({ conditions: _, ...rest }: PodStatus): Partial<PodStatus> {
  return withoutForeignFields(rest);
}

function sameConditions(a: readonly PodCondition[] | undefined, b: readonly PodCondition[] | undefined): boolean {
  const own = (conditions: readonly PodCondition[] | undefined): PodCondition[] =>
    (conditions ?? []).filter(({ type }) => isOwnedCondition(type) || isSharedCondition(type));
  const [left, right] = [own(a), own(b)];
  if (left.length !== right.length) return false;
  const byType = new Map(right.map((condition) => [condition.type, condition]));
  return left.every((condition) => {
    const other = byType.get(condition.type);
    return (
      other !== undefined &&
      condition.status === other.status &&
      (condition.reason ?? '') === (other.reason ?? '') &&
      (condition.message ?? '') === (other.message ?? '')
    );
  });
}
