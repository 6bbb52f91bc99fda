import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/**
 * A module's part in the life of each pod, at six points of the pod syncer. Calls for one pod never overlap. Every call may be repeated, also after a restart
 * of the agent, so steps must be idempotent.
 */
export interface PodStep {
  readonly name: string;
  /**
   * Prepares the node for the pod's containers (SyncPod), in order of the modules, before each sync of the containers. A rejection keeps the containers from
   * being synced and is retried with back-off; {@link PodStepError} names the reason of the event and of the waiting containers, and {@link PodRejectedError} ends the pod.
   */
  prepare?(pod: Pod, signal: AbortSignal): void | Promise<void>;
  /**
   * Prepares what the containers of a new sandbox need (kubelet: PrepareDynamicResources), in order of the modules, before each creation of a sandbox. A sandbox that
   * exists is kept without it. A rejection keeps the sandbox from being created and is retried with back-off; {@link PodStepError} names the reason of the event.
   */
  prepareSandbox?(pod: Pod, signal: AbortSignal): void | Promise<void>;
  /** Called when the pod begins to terminate, before its containers are stopped (SyncTerminatingPod). */
  terminating?(pod: TerminatingPod): void;
  /** Called when all containers have stopped (end of SyncTerminatingPod). */
  stopped?(pod: TerminatingPod): void;
  /**
   * Releases the resources of `prepareSandbox` when no container runs any more (kubelet: UnprepareDynamicResources), in order of the modules. Others may get them as
   * soon as the end of the pod is reported, so a rejection keeps the pod terminating, and is retried. Everything else belongs into `tearDown`.
   */
  release?(pod: TerminatingPod, signal: AbortSignal): void | Promise<void>;
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

/** The node can never run the pod: it fails, as if its admission had been rejected, and ends (kubelet: rejectPod). */
export class PodRejectedError extends Error {
  override readonly name = 'PodRejectedError';
  /** Reason of the event and of the pod's status, such as `VolumeAttachmentLimitExceeded`. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
