import type { PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';

/**
 * Returns the part of a pod's status that remains valid for the next agent: facts about its containers, its start time, its conditions. A phase that the node
 * decided on (a rejected admission, an eviction, an exceeded deadline) has a reason and is left out, because each agent decides again, as in the kubelet. A terminal
 * phase that follows from the containers has no reason and stays.
 */
export function durableStatus(status: PodStatus): PodStatus {
  const { reason, message: _message, conditions, ...facts } = status;
  if (!reason || !isTerminalPhase(status.phase)) return status;
  return {
    ...facts,
    phase: 'Pending',
    ...(conditions !== undefined && { conditions: conditions.filter(({ type }) => type !== 'DisruptionTarget') }),
  };
}
