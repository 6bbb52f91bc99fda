import type { NodeConditionState } from '@rxlet/agent-api/node';
import { toRfc3339 } from '@rxlet/component-base';
import type { Mutable, Node, NodeCondition } from '@rxlet/kube-api';

/** Reasons of the events on a change of a condition, by type: when it becomes False, when it becomes True. */
const transitionEvents: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['MemoryPressure', ['NodeHasSufficientMemory', 'NodeHasInsufficientMemory']],
  ['DiskPressure', ['NodeHasNoDiskPressure', 'NodeHasDiskPressure']],
  ['PIDPressure', ['NodeHasSufficientPID', 'NodeHasInsufficientPID']],
  ['Ready', ['NodeNotReady', 'NodeReady']],
]);

/**
 * Sets a condition. Its transition time changes with its status only. Positions of other conditions are kept; a new condition comes last.
 *
 * @returns the reason of the event that reports the change; `undefined` without one
 */
export function setNodeCondition(node: Mutable<Node>, state: NodeConditionState, nowMs: number): string | undefined {
  const conditions = ((node.status ??= {}).conditions ??= []);
  const now = toRfc3339(nowMs);
  const index = conditions.findIndex(({ type }) => type === state.type);
  const before = conditions[index];
  const isChanged = before?.status !== state.status;
  const { lastTransitionTime = now } = isChanged ? {} : before;
  const condition: NodeCondition = { ...state, lastHeartbeatTime: now, lastTransitionTime };
  if (index < 0) conditions.push(condition);
  else conditions[index] = condition;
  // A new node is not ready yet: that is no transition, while pressure always is one.
  if (!isChanged || (before === undefined && state.type === 'Ready')) return undefined;
  return transitionEvents.get(state.type)?.[state.status === 'True' ? 1 : 0];
}
