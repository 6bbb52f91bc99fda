import type { PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';

const DISRUPTION = 'DisruptionTarget';

/**
 * Returns the part of a pod's status that remains valid for the next agent: facts about its containers, its start time, its conditions. A phase that the node
 * decided on (a rejected admission, an eviction, an exceeded deadline) has a reason and is left out, because each agent decides again, as in the kubelet. A terminal
 * phase that follows from the containers has no reason and stays. `DisruptionTarget` stays with such a phase alone: the mirror pod of a static pod that runs again
 * still has the condition of its earlier end.
 */
export function durableStatus(status: PodStatus): PodStatus {
  const { reason, message: _message, conditions, ...facts } = status;
  const hasEnded = isTerminalPhase(status.phase);
  if (hasEnded && !reason) return status;
  const remaining = conditions?.filter(({ type }) => type !== DISRUPTION);
  if (!hasEnded) return remaining?.length === conditions?.length ? status : { ...status, conditions: remaining };
  return { ...facts, phase: 'Pending', ...(remaining !== undefined && { conditions: remaining }) };
}
