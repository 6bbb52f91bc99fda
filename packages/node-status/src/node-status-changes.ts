import type { NodeCondition, NodeStatus } from '@rxlet/kube-api';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { compareQuantities, parseQuantity } from '@rxlet/pod-model/quantity';

/** Reports whether two statuses differ in more than their heartbeat times and the order of their conditions. Quantities are compared by value. */
export function nodeStatusHasChanged(before: NodeStatus = {}, after: NodeStatus = {}): boolean {
  const {
    conditions: conditionsBefore,
    capacity: capacityBefore,
    allocatable: allocatableBefore,
    ...restBefore
  } = before;
  const { conditions, capacity, allocatable, ...rest } = after;
  return !(
    sameValue(comparableConditions(conditionsBefore), comparableConditions(conditions)) &&
    isSameResources(capacityBefore, capacity) &&
    isSameResources(allocatableBefore, allocatable) &&
    sameValue(restBefore, rest)
  );
}

function comparableConditions(conditions: readonly NodeCondition[] = []): object[] {
  return conditions
    .toSorted((left, right) => (left.type < right.type ? -1 : 1))
    .map(({ lastHeartbeatTime: _heartbeat, ...rest }) => rest);
}

function isSameResources(left: NodeStatus['capacity'] = {}, right: NodeStatus['capacity'] = {}): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const [before, after] = [left[name], right[name]];
      if (before === undefined || after === undefined) return false;
      return before === after || compareQuantities(parseQuantity(before), parseQuantity(after)) === 0;
    })
  );
}
