import { type Clock, toRfc3339 } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { type Observable, Subject } from 'rxjs';

/** A change of what the agent shows of a pod. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: Pod;
}

/**
 * What the agent shows of its pods: the objects as their sources gave them, with the status that the agent found. A pod that its source no longer
 * has stays, with a deletionTimestamp, until nothing of it is left.
 */
export interface PodView {
  list(): readonly Pod[];
  get(uid: string): Pod | undefined;
  /** Hot; {@link PodView.list} has the current pods. */
  readonly changes$: Observable<PodChange>;
  /** A source has the pod, new or changed. */
  put(pod: Pod): void;
  setStatus(uid: string, status: PodStatus): void;
  /** No source has the pod any more. */
  markDeleted(uid: string): void;
  /** Nothing of the pod is left. */
  remove(uid: string): void;
  /** Completes the stream. */
  close(): void;
}

/** Creates an empty view. */
export function createPodView(clock: Clock): PodView {
  const pods = new Map<string, Pod>();
  const changes = new Subject<PodChange>();
  const set = (uid: string, pod: Pod): void => {
    const type = pods.has(uid) ? 'MODIFIED' : 'ADDED';
    pods.set(uid, pod);
    changes.next({ type, pod });
  };
  return {
    list: () => [...pods.values()],
    get: (uid) => pods.get(uid),
    changes$: changes.asObservable(),
    put(pod) {
      const uid = pod.metadata?.uid ?? '';
      set(uid, { ...pod, status: pods.get(uid)?.status ?? pod.status ?? {} });
    },
    setStatus(uid, status) {
      const pod = pods.get(uid);
      if (pod !== undefined) set(uid, { ...pod, status });
    },
    markDeleted(uid) {
      const pod = pods.get(uid);
      if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) return;
      set(uid, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: toRfc3339(clock.now()) } });
    },
    remove(uid) {
      const pod = pods.get(uid);
      if (pod === undefined) return;
      pods.delete(uid);
      changes.next({ type: 'DELETED', pod });
    },
    close: () => changes.complete(),
  };
}
