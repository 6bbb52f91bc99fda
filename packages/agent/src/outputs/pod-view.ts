import type { PodChange } from '@rxlet/agent-api';
import { type Clock, toRfc3339 } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';

/**
 * The pods in the agent's API: objects of the sources with the status that the agent generated. A pod that its source removed stays, with a
 * deletionTimestamp, until it has finished.
 */
export interface PodView {
  /** Returns the shown pods. */
  list(): readonly Pod[];
  /** Returns all pods, also those that are not shown yet. */
  all(): readonly Pod[];
  get(uid: string): Pod | undefined;
  /** Hot; {@link PodView.list} has the current pods. */
  readonly changes$: Observable<PodChange>;
  /** Adds or updates a pod of a source. */
  put(pod: Pod): void;
  /** Adds a pod of a source that another agent, such as a kubelet, has started. It is shown with its first generated status, because it would seem pending before. */
  putAdopted(pod: Pod): void;
  setStatus(uid: string, status: PodStatus): void;
  /** Marks a pod as deleted by its source. */
  markDeleted(uid: string): void;
  /** Removes a finished pod. */
  remove(uid: string): void;
  /** Completes the stream. */
  close(): void;
}

/** Creates an empty view. */
export function createPodView(clock: Clock): PodView {
  const pods = new Map<string, Pod>();
  /** UIDs of adopted pods without a generated status. */
  const hidden = new Set<string>();
  const changes = createEmitter<PodChange>();
  const set = (uid: string, pod: Pod): void => {
    const type = pods.has(uid) && !hidden.delete(uid) ? 'MODIFIED' : 'ADDED';
    pods.set(uid, pod);
    changes.emit({ type, pod });
  };
  const put = (pod: Pod): void => {
    const uid = podUid(pod);
    set(uid, { ...pod, status: pods.get(uid)?.status ?? pod.status ?? {} });
  };
  return {
    list: () => [...pods].filter(([uid]) => !hidden.has(uid)).map(([, pod]) => pod),
    all: () => [...pods.values()],
    get: (uid) => pods.get(uid),
    changes$: changes.values$,
    put,
    putAdopted(pod) {
      const uid = podUid(pod);
      if (pods.has(uid) && !hidden.has(uid)) return put(pod);
      hidden.add(uid);
      pods.set(uid, pod);
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
      if (!hidden.delete(uid)) changes.emit({ type: 'DELETED', pod });
    },
    close: () => changes.complete(),
  };
}
