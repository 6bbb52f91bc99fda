import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isMirrorPod, isTerminalPhase } from '@rxlet/pod-model';
import { normalizeStatus } from '../normalize-status.ts';
import { findCondition } from '../condition-types.ts';
import { readyCondition } from '../pod-conditions.ts';
import { sameStatus } from '../status-equality.ts';

/**
 * Whether the status that the API shows of a pod is not the one that the node agent holds, so that it has to be published once more: somebody else
 * wrote to it, or an update got lost.
 *
 * @param apiPod the pod in the API; for a static pod, its mirror pod
 */
export function needsReconcile(apiPod: Pod, held: PodStatus): boolean {
  return !sameStatus(normalizeStatus(apiPod, apiPod.status ?? {}), held);
}

/**
 * Whether the conditions of a pod's readiness gates (KEP-580) changed in the API, so that its `Ready` is not right any more: the pod is to be synced then.
 */
export function needsReadinessReconcile(apiPod: Pod): boolean {
  if ((apiPod.spec?.readinessGates ?? []).length === 0) return false;
  const { conditions, phase, initContainerStatuses = [], containerStatuses = [] } = apiPod.status ?? {};
  const shown = findCondition(conditions, 'Ready');
  const wanted = readyCondition(
    { pod: apiPod, statuses: [...initContainerStatuses, ...containerStatuses], phase },
    conditions,
  );
  return shown !== undefined && (shown.status !== wanted.status || (shown.message ?? '') !== (wanted.message ?? ''));
}

/**
 * Whether a pod that is being deleted may be removed from the API, with grace period 0 and its UID as precondition: the API shows its end, and the
 * node is done with it. Mirror pods are removed with their static pods.
 *
 * @param finished see `PodStatusUpdate.finished`
 */
export function canBeDeleted(apiPod: Pod, finished: boolean): boolean {
  if (apiPod.metadata?.deletionTimestamp === undefined || isMirrorPod(apiPod)) return false;
  return finished && isTerminalPhase(apiPod.status?.phase);
}
