import type { RuntimeContainer, RuntimePod } from '@rxlet/pod-model';

/** How many dead containers are kept (the kubelet's `--minimum-container-ttl-duration` and `--maximum-dead-containers…`). */
export interface ContainerRetention {
  /** A container younger than this stays. Default 0. */
  readonly minAgeMs?: number;
  /** Dead instances to keep of each container of a pod; negative: no limit. Default 1. */
  readonly maxPerContainer?: number;
  /** Dead instances to keep on the whole node; negative (the default): no limit. */
  readonly maxContainers?: number;
}

/** A dead container with the pod it belongs to. */
export interface DeadContainer {
  readonly pod: RuntimePod;
  readonly container: RuntimeContainer;
}

/**
 * Chooses the containers to remove among those that do not run, in the order in which they are to go: all of pods that are gone; of others the instances of
 * each container that are too many; then, as long as the node has too many, those beyond an equal share of each container, and the oldest of all. In each
 * of these the oldest comes first.
 */
export function selectDeadContainers(
  pods: readonly RuntimePod[],
  isGone: (uid: string) => boolean,
  nowNanos: bigint,
  { minAgeMs = 0, maxPerContainer = 1, maxContainers = -1 }: ContainerRetention,
): DeadContainer[] {
  const youngestNanos = nowNanos - BigInt(Math.round(minAgeMs * 1e6));
  const evicted: DeadContainer[] = [];
  /** Takes all but the `keep` newest out of a group. @returns what stays. */
  const trim = (group: readonly DeadContainer[], keep: number): DeadContainer[] => {
    evicted.push(...group.slice(keep).reverse());
    return group.slice(0, keep);
  };

  let groups: DeadContainer[][] = [];
  for (const pod of pods) {
    const gone = isGone(pod.uid);
    const dead = pod.containers.filter(
      ({ state, createdAtNanos }) => state !== 'running' && createdAtNanos <= youngestNanos,
    );
    for (const instances of Map.groupBy(dead, ({ name }) => name).values()) {
      const group = newestFirst(instances.map((container) => ({ pod, container })));
      if (gone) trim(group, 0);
      else groups.push(group);
    }
  }
  if (maxPerContainer >= 0) groups = groups.map((group) => trim(group, maxPerContainer));
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  if (maxContainers >= 0 && count > maxContainers) {
    const share = Math.max(1, Math.floor(maxContainers / groups.length));
    const shared = groups.flatMap((group) => trim(group, share));
    trim(newestFirst(shared), maxContainers);
  }
  return evicted;
}

function newestFirst(containers: readonly DeadContainer[]): DeadContainer[] {
  return containers.toSorted((a, b) => compare(b.container.createdAtNanos, a.container.createdAtNanos));
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
