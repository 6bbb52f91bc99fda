import { abortable } from '@rxlet/component-base';
import type { PodRejection, ProviderPod, ProviderPodChange } from './provider-pod.ts';

/** The pods of a provider that has them in memory, with the stream of `PodProvider.watch`. */
export interface ProviderPodList {
  get(uid: string): ProviderPod | undefined;
  list(): readonly ProviderPod[];
  /** Adds a pod, or replaces its last report. */
  set(pod: ProviderPod): void;
  /** Removes a pod. `cause` explains a removal that the agent did not request. */
  remove(uid: string, cause?: PodRejection): void;
  /** See `PodProvider.watch`. A slow reader gets the last report of a pod, and then its removal; so no more than two changes of a pod wait. */
  watch(signal: AbortSignal): AsyncIterable<ProviderPodChange>;
}

/** Changes of a pod that a reader has not got yet, in this order. */
interface PendingChanges {
  readonly changed?: ProviderPodChange;
  readonly removed?: ProviderPodChange;
}

/** Creates a {@link ProviderPodList}. */
export function createProviderPodList(): ProviderPodList {
  const pods = new Map<string, ProviderPod>();
  const readers = new Set<(uid: string, change: ProviderPodChange) => void>();
  const notify = (uid: string, change: ProviderPodChange): void => readers.forEach((reader) => reader(uid, change));

  return {
    get: (uid) => pods.get(uid),
    list: () => [...pods.values()],
    set(pod) {
      pods.set(pod.uid, pod);
      notify(pod.uid, { type: 'changed', pod });
    },
    remove(uid, cause) {
      if (pods.delete(uid)) notify(uid, { type: 'removed', uid, ...cause });
    },
    async *watch(signal) {
      const pending = new Map<string, PendingChanges>();
      let arrival = Promise.withResolvers<void>();
      const reader = (uid: string, change: ProviderPodChange): void => {
        const before = pending.get(uid);
        pending.set(uid, change.type === 'removed' ? { ...before, removed: change } : { changed: change });
        arrival.resolve();
      };
      readers.add(reader);
      try {
        yield { type: 'snapshot', pods: [...pods.values()] };
        for (;;) {
          await abortable(arrival.promise, signal);
          arrival = Promise.withResolvers<void>();
          const waiting = [...pending.values()];
          pending.clear();
          for (const { changed, removed } of waiting) {
            if (changed !== undefined) yield changed;
            if (removed !== undefined) yield removed;
          }
        }
      } finally {
        readers.delete(reader);
      }
    },
  };
}
