import type { RuntimeContainer, RuntimePod } from '@rxlet/pod-model/runtime';

/** Retention of dead containers (the kubelet's `--minimum-container-ttl-duration` and `--maximum-dead-containers…`). */
export interface ContainerRetention {
  /** Age up to which a dead container is kept. Default 0. */
  readonly minAgeMs?: number;
  /** Maximum of dead instances of each container of a pod, besides the newest one if that has not started and none runs; negative: no limit. Default 1. */
  readonly maxPerContainer?: number;
  /** Maximum of dead instances on the node; negative (the default): no limit. */
  readonly maxContainers?: number;
}

/** A dead container with the pod it belongs to. */
export interface DeadContainer {
  readonly pod: RuntimePod;
  readonly container: RuntimeContainer;
  /** The container is removed with its pod, whatever its age and number. */
  readonly isOfRemovedPod: boolean;
}

/**
 * Selects the dead containers to remove, in order: all containers of removable pods; then instances above the maximum of each container; then, if the node has
 * too many, instances above an equal share of each container, and then the oldest ones. In each group the oldest comes first.
 */
export function selectDeadContainers(
  pods: readonly RuntimePod[],
  isRemovable: (uid: string) => boolean,
  nowNanos: bigint,
  { minAgeMs = 0, maxPerContainer = 1, maxContainers = -1 }: ContainerRetention,
): DeadContainer[] {
  const createdBeforeNanos = nowNanos - BigInt(Math.round(minAgeMs * 1e6));
  const evicted: DeadContainer[] = [];
  /** Evicts all but the `keep` newest containers of a group. @returns the kept ones */
  const trim = (group: readonly DeadContainer[], keep: number): DeadContainer[] => {
    evicted.push(...group.slice(keep).reverse());
    return group.slice(0, keep);
  };

  let groups: DeadContainer[][] = [];
  for (const pod of pods) {
    const isPodRemovable = isRemovable(pod.uid);
    // A container from the future is of unknown age: the wall clock was set back since.
    const dead = pod.containers.filter(
      ({ state, createdAtNanos }) =>
        state !== 'running' && (createdAtNanos <= createdBeforeNanos || createdAtNanos > nowNanos),
    );
    for (const instances of Map.groupBy(dead, ({ name }) => name).values()) {
      const group = instances.map((container) => ({ pod, container, isOfRemovedPod: isPodRemovable }));
      if (isPodRemovable) trim(group, 0);
      else groups.push(group);
    }
  }
  if (maxPerContainer >= 0) {
    groups = groups.map((group) => {
      const [newest, ...others] = group;
      if (maxPerContainer === 0 || newest === undefined || !mayBeReplaced(newest)) return trim(group, maxPerContainer);
      // The restart count, the last termination and its log are those of the last instance that ran.
      const ranFirst = [...others.filter((one) => !isUnstarted(one)), ...others.filter(isUnstarted)];
      return newestFirst([newest, ...trim(ranFirst, maxPerContainer)]);
    });
  }
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  if (maxContainers >= 0 && count > maxContainers) {
    const share = Math.max(1, Math.floor(maxContainers / groups.length));
    const shared = groups.flatMap((group) => trim(group, share));
    trim(newestFirst(shared), maxContainers);
  }
  return evicted;
}

/** Reports whether the newest instance of a container has not started, and may fail to do so. */
function mayBeReplaced(newest: DeadContainer): boolean {
  const { pod, container } = newest;
  return (
    isUnstarted(newest) && !pod.containers.some(({ name, state }) => name === container.name && state === 'running')
  );
}

function isUnstarted({ container }: DeadContainer): boolean {
  return container.state === 'created';
}

function newestFirst(containers: readonly DeadContainer[]): DeadContainer[] {
  return containers.toSorted((a, b) => compare(b.container.createdAtNanos, a.container.createdAtNanos));
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
