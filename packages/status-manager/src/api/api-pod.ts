import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isMirrorPod, isTerminalPhase } from '@rxlet/pod-model';
import { normalizeStatus } from '../normalize-status.ts';
import { findCondition } from '../condition-types.ts';
import { readyCondition } from '../pod-conditions.ts';
import { sameStatus } from '../status-equality.ts';

/**
 * Reports whether the API has another status of a pod than the node agent, because another writer changed it or an update was lost. Then it must be published again.
 *
 * @param apiPod the pod in the API; for a static pod, its mirror pod
 */
export function needsReconcile(apiPod: Pod, reported: PodStatus): boolean {
  return !sameStatus(normalizeStatus(apiPod, apiPod.status ?? {}), reported);
}

/**
 * Reports whether conditions of a pod's readiness gates (KEP-580) changed in the API, so that its `Ready` is stale and the pod needs a sync.
 */
export function needsReadinessReconcile(apiPod: Pod): boolean {
  if ((apiPod.spec?.readinessGates ?? []).length === 0) return false;
  const { conditions, phase, initContainerStatuses = [], containerStatuses = [] } = apiPod.status ?? {};
  const actual = findCondition(conditions, 'Ready');
  const expected = readyCondition(
    { pod: apiPod, statuses: [...initContainerStatuses, ...containerStatuses], phase },
    conditions,
  );
  return (
    actual !== undefined && (actual.status !== expected.status || (actual.message ?? '') !== (expected.message ?? ''))
  );
}

/**
 * Reports whether a terminating pod may be deleted from the API, with grace period 0 and its UID as precondition: the API shows its end, and the node has cleaned it
 * up. Mirror pods are deleted with their static pods.
 *
 * @param finished see `PodStatusUpdate.finished`
 */
export function canBeDeleted(apiPod: Pod, finished: boolean): boolean {
  if (apiPod.metadata?.deletionTimestamp === undefined || isMirrorPod(apiPod)) return false;
  return finished && isTerminalPhase(apiPod.status?.phase);
}
