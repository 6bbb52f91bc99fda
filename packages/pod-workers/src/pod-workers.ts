import type { Pod } from '@rxlet/kube-api';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import type { Observable } from 'rxjs';
import type { PodSubject } from './pod-subject.ts';
import type { PodStates } from './pod-states.ts';
import type { PodWorkerState } from './pod-worker-state.ts';
import type { TerminationRequest } from './termination-request.ts';

/** Change of a pod's state. */
export interface PodWorkerTransition {
  readonly uid: string;
  readonly subject: PodSubject;
  /** `undefined` for a new incarnation. */
  readonly from: PodWorkerState | undefined;
  readonly to: PodWorkerState;
}

/** One serial worker per pod UID. Disposal cancels the running steps and waits for them (see {@link PodSyncer}); the pods stay as they are. */
export interface PodWorkers extends PodStates, AsyncDisposable {
  /**
   * Adds a pod that must run. While a pod of the same UID still terminates, the new one waits until that has finished, unless it must terminate itself.
   * A static pod waits until its predecessor of the same full name has finished. A pod whose phase is terminal and of which nothing runs is only cleaned up.
   *
   * @throws TypeError when the pod has no UID.
   */
  add(pod: Pod): void;
  /** Updates a pod; adds an unknown one. A terminating pod takes over only a shorter grace period. @throws TypeError as `add`. */
  update(pod: Pod): void;
  /**
   * Replaces a pod whose status alone changed in the API. The next step uses it, but none is requested unless the pod must terminate. Unknown pods
   * are ignored. @throws TypeError as `add`.
   */
  reconcile(pod: Pod): void;
  /** Requests a step for a pod that had an event. Unknown UIDs are ignored. */
  sync(uid: string): void;
  /**
   * Terminates a pod, and a pod of the same UID that waits for its end. See `killPodNow` for a bounded wait.
   *
   * @returns a promise that resolves when no container of the pod runs, at once for an unknown pod. It rejects with the reason `LifetimeEnded`
   * when the workers are disposed of first; callers may ignore it.
   */
  terminate(uid: string, request: TerminationRequest): Promise<void>;
  /** Terminates an orphaned pod, which only the runtime has, with a grace period of one second. A known pod terminates by its own spec. */
  terminateRuntimePod(pod: RuntimePod): void;
  /**
   * Terminates all pods whose UIDs are not in `desired`, retries those that failed to terminate, and forgets those that have finished. Must be called only
   * when all sources are ready.
   */
  retain(desired: ReadonlySet<string>): void;
  /** Reports whether the containers of an ending pod stay, because a pod of the same UID follows that restarts them. */
  keepsContainers(uid: string): boolean;
  /** Reports whether the last step of a pod failed, other than by waiting for a back-off. */
  isFailing(uid: string): boolean;
  /** Changes of state, in order. Hot; {@link PodWorkers.states} has the current ones. Completes on disposal. */
  readonly transitions$: Observable<PodWorkerTransition>;
}
