import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/** Requested restarts of containers in place. Bounded by the containers of the pods; {@link RestartRequests.forget} ends those of a pod. */
export interface RestartRequests {
  /** Requests the restart of containers that have instances. */
  request(podUid: string, instances: readonly RequestedInstance[]): void;
  /** Returns the ids of the instances of a pod that must be removed. */
  pending(podUid: string): ReadonlySet<string>;
  /** Reports whether a requested restart of the pod goes on: an instance must be removed, or has no successor yet. */
  isRestarting(podUid: string, status: RuntimePodStatus): boolean;
  forget(podUid: string): void;
}

/** Instance of a container to replace. */
export interface RequestedInstance {
  readonly id: string;
  readonly name: string;
}

/** Creates {@link RestartRequests}. */
export function createRestartRequests(): RestartRequests {
  /** Instances to replace, by pod and container. */
  const requests = new Map<string, Map<string, Set<string>>>();

  /** Ends requests whose container has a successor, and no instance that must be removed. */
  const settle = (uid: string, { containers }: RuntimePodStatus): void => {
    const ofPod = requests.get(uid);
    for (const [name, ids] of ofPod ?? []) {
      const found = containers.filter((container) => container.name === name);
      const isLeft = found.some(({ id }) => ids.has(id.id));
      if (!isLeft && found.length > 0) ofPod!.delete(name);
    }
    if (ofPod?.size === 0) requests.delete(uid);
  };

  return {
    request(uid, instances) {
      const ofPod = requests.get(uid) ?? new Map<string, Set<string>>();
      for (const { id, name } of instances) ofPod.set(name, (ofPod.get(name) ?? new Set()).add(id));
      if (ofPod.size > 0) requests.set(uid, ofPod);
    },
    pending: (uid) => new Set([...(requests.get(uid)?.values() ?? [])].flatMap((ids) => [...ids])),
    isRestarting(uid, status) {
      settle(uid, status);
      return requests.has(uid);
    },
    forget: (uid) => void requests.delete(uid),
  };
}
