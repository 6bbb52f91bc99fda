import type { PodCondition } from '@rxlet/kube-api';

/**
 * Condition types that a node agent writes; all others keep the API's value. `DisruptionTarget` is shared with other components that disrupt pods.
 */
export const ownedConditionTypes: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodResizePending',
  'PodResizeInProgress',
  'PodReadyToStartContainers',
  'AllContainersRestarting',
  'DisruptionTarget',
]);

/** Reports whether only the node agent writes conditions of this type. */
export function isOwnedCondition(type: string): boolean {
  return ownedConditionTypes.has(type) && !isSharedCondition(type);
}

/** Reports whether other components write conditions of this type too. */
export function isSharedCondition(type: string): boolean {
  return type === 'DisruptionTarget';
}

/** Returns the condition of a type. */
export function findCondition(conditions: readonly PodCondition[] | undefined, type: string): PodCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns the conditions with `condition` in place of the one of its type, or at the end. */
export function withCondition(
  conditions: readonly PodCondition[] | undefined,
  condition: PodCondition,
): readonly PodCondition[] {
  const list = conditions ?? [];
  const index = list.findIndex(({ type }) => type === condition.type);
  return index < 0 ? [...list, condition] : list.with(index, condition);
}
