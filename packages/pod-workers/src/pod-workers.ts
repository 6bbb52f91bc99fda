import type { Pod } from '@rxlet/kube-api';
import type { RuntimePod } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import type { PodSubject } from './pod-subject.ts';
import type { PodWorkerSnapshot } from './pod-worker-snapshot.ts';
import type { PodWorkerState, TerminationRequest } from './pod-worker-state.ts';

/** A pod entered another state. */
export interface PodWorkerTransition {
  readonly uid: string;
  readonly subject: PodSubject;
  /** `undefined` at the beginning of a life. */
  readonly from: PodWorkerState | undefined;
  readonly to: PodWorkerState;
}

/** One serial worker per pod UID. Disposal cancels the running steps and waits until they have ended (see {@link PodSyncer}); the pods stay as they are. */
export interface PodWorkers extends AsyncDisposable {
  /**
   * A pod is to run here. While a pod of the same UID still terminates, the new one starts when that has finished, unless it is itself to end.
   * A static pod waits until its predecessor of the same full name has finished. One whose phase is terminal and of which nothing runs is only cleaned up.
   *
   * @throws TypeError when it has no UID.
   */
  add(pod: Pod): void;
  /** A pod changed. One that is not known is added; one that terminates only learns of a shorter grace period. @throws TypeError as `add`. */
  update(pod: Pod): void;
  /**
   * Only what the API shows of a pod changed, mostly because the agent itself said so: the next step goes by it, but none follows from it, unless it shows
   * the pod's end. Unknown pods are ignored. @throws TypeError as `add`.
   */
  reconcile(pod: Pod): void;
  /** Something happened to a pod: its worker looks at it soon. Unknown UIDs are ignored. */
  sync(uid: string): void;
  /**
   * A pod is to end, and one of the same UID that waits for its end with it. See `killPodNow` for a wait that is bounded.
   *
   * @returns a promise that resolves when no container of it runs any more, at once for one that is not known. It rejects, which may be ignored,
   * with the reason `LifetimeEnded` when the workers are disposed of before.
   */
  terminate(uid: string, request: TerminationRequest): Promise<void>;
  /**
   * What the runtime holds of a pod that no source knows is to end, with a grace period of a second. If the workers still know the pod, that pod ends
   * so, with what its spec says of its end.
   */
  terminateRuntimePod(pod: RuntimePod): void;
  /** Ends all pods whose UIDs are not in `desired` and forgets those of them that have finished. To be called only when all sources are ready. */
  retain(desired: ReadonlySet<string>): void;
  /** Whether the workers know of all pods that there should be: `retain` has been called. Questions about unknown pods need it. */
  podsSynced(): boolean;
  /** The state of a pod; `undefined` for one that is not known. */
  state(uid: string): PodWorkerState | undefined;
  /** The states of all known pods. */
  states(): ReadonlyMap<string, PodWorkerState>;
  /** All about each known pod, for a look inside. */
  inspect(): readonly PodWorkerSnapshot[];
  /** Each change of state, in order. Hot; {@link PodWorkers.states} has the current ones. Completes when disposed of. */
  readonly transitions$: Observable<PodWorkerTransition>;
}
