import type { PodStatus } from '@rxlet/kube-api';

/** Reports whether a status is that of a pod which the node rejected: it failed for a reason before any of its containers existed. */
export function isRejection({ phase, reason, initContainerStatuses, containerStatuses }: PodStatus): boolean {
  const count = (initContainerStatuses ?? []).length + (containerStatuses ?? []).length;
  return phase === 'Failed' && reason !== undefined && reason !== '' && count === 0;
}
