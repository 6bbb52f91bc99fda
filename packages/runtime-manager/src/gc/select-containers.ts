import type { RuntimeContainer, RuntimePod } from '@rxlet/pod-model';

/** How many dead containers are kept (the kubelet's `--minimum-container-ttl-duration` and `--maximum-dead-containers…`). */
export interface ContainerRetention {
  /** A container younger than this stays. Default 0. */
  readonly minAgeMs?: number;
  /** Dead instances to keep of each container of a pod. Default 1. */
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
 * Chooses the containers to remove among those that do not run: all of pods that are gone, of others the instances of each container that are too many,
 * and then, as long as the node has too many, the oldest ones.
 */
export function selectDeadContainers(
  pods: readonly RuntimePod[],
  isGone: (uid: string) => boolean,
  nowMs: number,
  { minAgeMs = 0, maxPerContainer = 1, maxContainers = -1 }: ContainerRetention,
): DeadContainer[] {
  const newestCreationNanos = BigInt(Math.floor(nowMs - minAgeMs)) * 1_000_000n;
  const evicted: DeadContainer[] = [];
  let kept: DeadContainer[][] = [];
  for (const pod of pods) {
    const dead = pod.containers.filter(
      ({ state, createdAtNanos }) => state !== 'running' && createdAtNanos <= newestCreationNanos,
    );
    for (const group of Map.groupBy(dead, ({ name }) => name).values()) {
      const instances = group.map((container) => ({ pod, container }));
      const keep = isGone(pod.uid) ? 0 : Math.max(maxPerContainer, 0);
      evicted.push(...instances.slice(keep));
      if (keep > 0) kept.push(instances.slice(0, keep));
    }
  }
  const count = (): number => kept.reduce((sum, group) => sum + group.length, 0);
  if (maxContainers >= 0 && count() > maxContainers) {
    const share = Math.max(1, Math.floor(maxContainers / kept.length));
    evicted.push(...kept.flatMap((group) => group.slice(share)));
    kept = kept.map((group) => group.slice(0, share));
    const oldestFirst = kept.flat().sort((a, b) => Number(a.container.createdAtNanos - b.container.createdAtNanos));
    evicted.push(...oldestFirst.slice(0, Math.max(0, oldestFirst.length - maxContainers)));
  }
  return evicted;
}
