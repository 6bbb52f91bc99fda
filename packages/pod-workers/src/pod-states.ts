import type { Clock } from '@rxlet/component-base';
import { inspectPod, type PodRecord, type PodWorkerSnapshot } from './pod-worker-snapshot.ts';
import type { PodWorkerState } from './pod-worker-state.ts';

/** States of the pods on the node. */
export interface PodStates {
  /** Returns the state of a pod; `undefined` for an unknown one. */
  state(uid: string): PodWorkerState | undefined;
  /** Returns the states of all known pods. */
  states(): ReadonlyMap<string, PodWorkerState>;
  /** Reports whether `PodWorkers.retain` has been called, so that all desired pods are known. Questions about unknown pods depend on it. */
  podsSynced(): boolean;
  /** Returns a snapshot of each worker, for debugging. */
  inspect(): readonly PodWorkerSnapshot[];
}

/** The writing side of {@link PodStates}, for the workers. */
export interface WritablePodStates extends PodStates {
  /** Adds a pod in place of one of the same UID. Its later changes show without another call. */
  add(pod: PodRecord): void;
  delete(uid: string): void;
  /** Records that all desired pods are known. */
  setPodsSynced(): void;
}

/** Creates {@link PodStates} without pods. They exist before the workers, for the parts on which the workers depend. */
export function createPodStates(clock: Pick<Clock, 'monotonicNow'>): WritablePodStates {
  const pods = new Map<string, PodRecord>();
  let podsSynced = false;
  return {
    state: (uid) => pods.get(uid)?.state,
    states() {
      const states = new Map<string, PodWorkerState>();
      for (const [uid, { state }] of pods) states.set(uid, state);
      return states;
    },
    podsSynced: () => podsSynced,
    inspect() {
      const nowMs = clock.monotonicNow();
      return [...pods.values()].map((pod) => inspectPod(pod, nowMs));
    },
    add: (pod) => void pods.set(pod.uid, pod),
    delete: (uid) => void pods.delete(uid),
    setPodsSynced() {
      podsSynced = true;
    },
  };
}
