import type { ContainerStatus, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { findCondition } from './condition-types.ts';

/**
 * Reports whether a change of a status must be published at once, because other components act on it: a terminal phase or readiness. Other changes may wait for the
 * next one.
 */
export function isUrgent(before: PodStatus, after: PodStatus): boolean {
  if (isTerminalPhase(after.phase) && !isTerminalPhase(before.phase)) return true;
  if (conditionStatus(before, 'Ready') !== conditionStatus(after, 'Ready')) return true;
  if (conditionStatus(before, 'ContainersReady') !== conditionStatus(after, 'ContainersReady')) return true;
  return readyContainers(before) !== readyContainers(after);
}

/** An absent condition equals a false one. */
function conditionStatus(status: PodStatus, type: string): boolean {
  return findCondition(status.conditions, type)?.status === 'True';
}

function readyContainers({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): string {
  // Init containers are left out: they are ready when completed, on which no other component acts.
  const servesTraffic = ({ ready, state }: ContainerStatus): boolean => ready && state?.running !== undefined;
  const serving = [...initContainerStatuses, ...containerStatuses].filter(servesTraffic);
  return serving.map(({ name }) => name).join(' ');
}
