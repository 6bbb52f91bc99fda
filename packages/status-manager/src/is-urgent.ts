import type { ContainerStatus, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { findCondition } from './condition-types.ts';

/**
 * Whether a change of a pod's status has to be told at once, since others act on it: the pod has ended, or traffic is to be sent to it or no more. All
 * other changes may wait a moment for the next one.
 */
export function isUrgent(before: PodStatus, after: PodStatus): boolean {
  if (isTerminalPhase(after.phase) && !isTerminalPhase(before.phase)) return true;
  if (conditionStatus(before, 'Ready') !== conditionStatus(after, 'Ready')) return true;
  if (conditionStatus(before, 'ContainersReady') !== conditionStatus(after, 'ContainersReady')) return true;
  return readyContainers(before) !== readyContainers(after);
}

/** A condition that is absent says no more than one that is false. */
function conditionStatus(status: PodStatus, type: string): boolean {
  return findCondition(status.conditions, type)?.status === 'True';
}

function readyContainers({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): string {
  // An init container is ready when it is done, which concerns nobody outside.
  const servesTraffic = ({ ready, state }: ContainerStatus): boolean => ready && state?.running !== undefined;
  const serving = [...initContainerStatuses, ...containerStatuses].filter(servesTraffic);
  return serving.map(({ name }) => name).join(' ');
}
