import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { withoutForeignFields } from './api/foreign-fields.ts';
import { isOwnedCondition, isSharedCondition } from './condition-types.ts';

/**
 * Whether two statuses say the same as far as the node agent has a say. Its own conditions count by status, reason and message; those of others, and
 * the fields that others write, do not count. Whether something is absent or empty makes no difference.
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

/** Deep equality of JSON values in which `undefined`, `null`, `{}` and `[]` are the same nothing. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameValue(item, b[index]))
    );
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return (
    Object.keys(left).every((key) => sameValue(left[key], right[key])) &&
    Object.keys(right).every((key) => key in left || isNothing(right[key]))
  );
}

/** Whether the value is `undefined`, `null`, `{}` or `[]`. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
