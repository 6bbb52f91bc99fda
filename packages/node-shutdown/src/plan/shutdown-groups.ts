/** Grace period of the pods of one range of priorities: from this priority up to that of the next group. */
export interface ShutdownGroup {
  readonly priority: number;
  readonly gracePeriodSeconds: number;
}

/** Grace periods of a shutdown, as a kubelet is configured. */
export interface ShutdownGracePeriods {
  /** Time for all pods (KubeletConfiguration `shutdownGracePeriod`). Default 0. */
  readonly allPodsMs?: number | undefined;
  /** The part of it that is kept for critical pods (KubeletConfiguration `shutdownGracePeriodCriticalPods`). Default 0. */
  readonly criticalPodsMs?: number | undefined;
  /** Groups (KubeletConfiguration `shutdownGracePeriodByPodPriority`). They take the place of the other two. Default: none. */
  readonly byPodPriority?: readonly ShutdownGroup[] | undefined;
}

const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Returns the groups in the order in which their pods end; none when nothing is configured: then pods get no warning of a shutdown. */
export function shutdownGroups({
  allPodsMs = 0,
  criticalPodsMs = 0,
  byPodPriority = [],
}: ShutdownGracePeriods): readonly ShutdownGroup[] {
  if (byPodPriority.length > 0) return byPodPriority.toSorted((a, b) => a.priority - b.priority);
  if (allPodsMs === 0 || criticalPodsMs > allPodsMs) return [];
  return [
    { priority: 0, gracePeriodSeconds: Math.floor((allPodsMs - criticalPodsMs) / 1000) },
    { priority: SYSTEM_CRITICAL_PRIORITY, gracePeriodSeconds: Math.floor(criticalPodsMs / 1000) },
  ];
}

/** Returns the longest time that the pods of all groups need. */
export function totalSeconds(groups: readonly ShutdownGroup[]): number {
  return groups.reduce((sum, { gracePeriodSeconds }) => sum + gracePeriodSeconds, 0);
}
