import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/**
 * A module's part in the life of each pod, at four points of the pod syncer. Calls for one pod never overlap. Every call may be repeated, also after a restart
 * of the agent, so steps must be idempotent.
 */
export interface PodStep {
  readonly name: string;
  /**
   * Prepares the node for the pod's containers (SyncPod), in order of the modules, before each sync of the containers. A rejection keeps the containers from
   * being synced and is retried with back-off; {@link PodStepError} names the reason of the event and of the waiting containers.
   */
  prepare?(pod: Pod, signal: AbortSignal): void | Promise<void>;
  /** Called when the pod begins to terminate, before its containers are stopped (SyncTerminatingPod). */
  terminating?(pod: TerminatingPod): void;
  /** Called when all containers have stopped (end of SyncTerminatingPod). */
  stopped?(pod: TerminatingPod): void;
  /**
   * Releases the resources of `prepare` (SyncTerminatedPod), in reverse order of the modules. A rejection is logged, reported as an event and retried in the
   * background; it never delays the end of the pod or the start of its successor.
   */
  tearDown?(pod: TerminatingPod, signal: AbortSignal): void | Promise<void>;
}

/** A terminating pod. Its definition is missing when only the runtime has the pod. */
export interface TerminatingPod {
  readonly uid: string;
  readonly pod?: Pod | undefined;
  readonly status: RuntimePodStatus;
}

/** Failure of a pod step with a reason from Kubernetes' vocabulary. */
export class PodStepError extends Error {
  override readonly name = 'PodStepError';
  /** Reason of the event, such as `FailedMount`. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
