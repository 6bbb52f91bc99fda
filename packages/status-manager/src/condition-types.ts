import type { PodCondition } from '@rxlet/kube-api';

/**
 * The condition types that a node agent writes; all others are carried along as the API has them. `DisruptionTarget` is shared: whoever else disrupts the
 * pod writes it too.
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

/** Whether the node agent alone writes conditions of this type. */
export function isOwnedCondition(type: string): boolean {
  return ownedConditionTypes.has(type) && !isSharedCondition(type);
}

/** Whether others write conditions of this type too: whoever disrupts the pod. */
export function isSharedCondition(type: string): boolean {
  return type === 'DisruptionTarget';
}

/** The condition of that type. */
export function findCondition(conditions: readonly PodCondition[] | undefined, type: string): PodCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions with `condition` in the place of the one of its type, or at the end. */
export function withCondition(
  conditions: readonly PodCondition[] | undefined,
  condition: PodCondition,
): readonly PodCondition[] {
  const list = [...(conditions ?? [])];
  const index = list.findIndex(({ type }) => type === condition.type);
  list.splice(index < 0 ? list.length : index, index < 0 ? 0 : 1, condition);
  return list;
}
