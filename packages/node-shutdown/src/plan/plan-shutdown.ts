import type { Pod } from '@rxlet/kube-api';
import type { ShutdownGroup } from './shutdown-groups.ts';

/** Returns the index of a pod's group: the last one whose priority is not above the pod's, otherwise the first. */
export function groupIndexOf(groups: readonly ShutdownGroup[], pod: Pod): number {
  const priority = pod.spec?.priority ?? 0;
  return Math.max(
    0,
    groups.findLastIndex((group) => group.priority <= priority),
  );
}

/** Returns the indexes of the groups that still have pods, in the order in which they end. Pods of earlier groups end with group `first`. */
export function pendingGroups(groups: readonly ShutdownGroup[], pods: readonly Pod[], first = 0): readonly number[] {
  const indexes = new Set(pods.map((pod) => Math.max(first, groupIndexOf(groups, pod))));
  return [...indexes].sort((a, b) => a - b);
}

/**
 * Returns the grace period of a pod that ends with a group: its own, or the time that the group has left.
 *
 * @param groupSeconds remaining time of the group
 */
export function shutdownGraceSeconds({ spec }: Pod, groupSeconds: number): number {
  return Math.min(spec?.terminationGracePeriodSeconds ?? groupSeconds, Math.max(0, Math.floor(groupSeconds)));
}
