import type { Pod, PodCondition, PodStatus, ResourceStatus } from '@rxlet/kube-api';

/** Contributes to the status of each pod. */
export interface PodStatusContributor {
  readonly name: string;
  /** Condition types that this contributor owns. Types of two contributors must not overlap. */
  readonly conditionTypes: readonly string[];
  /** Returns the conditions for a newly generated status. Transition times are kept by the status manager. */
  conditions(pod: Pod, generated: PodStatus): readonly PodCondition[];
  /** Returns the health of resources of a main container (`allocatedResourcesStatus`). Names of resources of two contributors must not overlap. */
  allocatedResources?(pod: Pod, containerName: string): readonly ResourceStatus[];
  /**
   * Returns a message for a false condition that has none; the first contributor with one wins. It must not change while its cause stays the same: each change is a
   * write to the API server.
   */
  conditionMessage?(pod: Pod, generated: PodStatus, type: string): string | undefined;
}

/** May fail a pod for good while its status is generated (kubelet: PodSyncHandler), as active deadlines do. */
export interface PodEvictor {
  readonly name: string;
  /** Returns how the pod fails; `undefined` leaves it alone. `current` is its latest status. */
  shouldEvict(pod: Pod, current: PodStatus): PodFailure | undefined;
  /** Called after a status was generated and set. */
  statusSet?(pod: Pod, status: PodStatus): void;
}

/** Reason and message of a failed pod. */
export interface PodFailure {
  /** `Evicted`, `DeadlineExceeded`, `Terminated`, `Preempting`, … */
  readonly reason: string;
  readonly message: string;
  /** Message of the condition `DisruptionTarget` (KEP-3329). Set it when the pod is disrupted in favour of others. */
  readonly disruption?: string | undefined;
}

/** Restores statuses of an earlier run of the agent, where no API server has them. */
export interface StatusRestorer {
  /** Loads the kept statuses. Called once, before the first pod is handled. */
  load(): Promise<void>;
  restored(podUid: string): PodStatus | undefined;
  record(update: PodStatusUpdate): void;
  forget(podUid: string): void;
  /** Forgets all other pods. */
  retain(podUids: ReadonlySet<string>): void;
}

/** A pod with its current status in the agent. */
export interface PodStatusUpdate {
  /** The pod that this status was generated for; its own `status` may be stale. */
  readonly pod: Pod;
  readonly status: PodStatus;
  /** Increases with every change of any pod, so that the later of two updates has the higher version. */
  readonly version: number;
  /** Whether the node has finished the pod: nothing runs, and the clean-up is done. An API object that is being deleted may be removed now. */
  readonly finished: boolean;
  /** The mirror pod that reports a static pod to the API server. */
  readonly mirrorPod?: Pod | undefined;
}

/**
 * Receives pod statuses, for example an API server. Calls for one pod never overlap, and each call has the latest status. A call that rejects or takes too
 * long is repeated with back-off.
 */
export interface StatusSink {
  /**
   * Whether the sink can hold a static pod only as a mirror pod, as an API server. It then gets the status of a static pod while the pod has a mirror pod,
   * which is part of the update. Default false: static pods are published like all others.
   */
  readonly needsMirrorPods?: boolean;
  /**
   * Publishes a status; resolves when it is published. The same version may come again. The promise must reject soon after `signal` aborts, and must have no
   * effect from then on.
   *
   * @param current returns the status that may be published by now. A sink that reads before it writes calls it in between: the terminal phase of a pod is
   *   withheld while a container may run.
   */
  publish(update: PodStatusUpdate, signal: AbortSignal, current: () => PodStatus): Promise<void>;
}
