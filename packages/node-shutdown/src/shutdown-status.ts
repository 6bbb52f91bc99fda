import type { AdmissionRejection } from '@rxlet/agent-api';
import type { PodFailure } from '@rxlet/agent-api/statuses';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';

/** Reason why the node is not ready while it shuts down. */
export const SHUTTING_DOWN = 'node is shutting down';

const CONDITION_TYPE = 'DisruptionTarget';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** Rejection of pods that come during a shutdown. */
export const shutdownRejection: AdmissionRejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** Failure of a pod that a shutdown terminates. */
export const shutdownFailure: PodFailure = { reason: 'Terminated', message: MESSAGE, disruption: MESSAGE };

/** Returns the status of a pod that a shutdown terminates: failed, unless it has succeeded, and marked as disrupted. */
export function shutdownStatus({ metadata }: Pod, status: PodStatus, now: string): PodStatus {
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === CONDITION_TYPE);
  const before = conditions[index];
  const { generation } = metadata ?? {};
  const condition: PodCondition = {
    type: CONDITION_TYPE,
    status: 'True',
    reason: 'TerminationByKubelet',
    message: MESSAGE,
    lastTransitionTime: before?.status === 'True' ? (before.lastTransitionTime ?? now) : now,
    ...(generation !== undefined && generation !== 0 && { observedGeneration: generation }),
  };
  return {
    ...status,
    phase: status.phase === 'Succeeded' ? 'Succeeded' : 'Failed',
    reason: shutdownFailure.reason,
    message: MESSAGE,
    conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition),
  };
}
