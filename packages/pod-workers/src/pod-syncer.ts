import type { Pod, PodStatus } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import type { PodSubject } from './pod-subject.ts';
import type { TerminationReason } from './pod-worker-state.ts';

/** One step for a pod that is to run. */
export interface SyncRequest {
  readonly pod: Pod;
  /** Read from the runtime after everything that earlier steps changed in it. */
  readonly status: RuntimePodStatus;
  /** Aborts as soon as the pod must terminate, or the agent stops. */
  readonly signal: AbortSignal;
}

/** One step for a pod that is to stop. */
export interface TerminatingRequest {
  readonly subject: PodSubject;
  readonly status: RuntimePodStatus;
  readonly reason: TerminationReason;
  /** How long its containers get to stop, in seconds. */
  readonly gracePeriodSeconds: number;
  /**
   * Puts into the pod's status what whoever ended the pod had to say (see TerminationRequest); gives back an equal status if nobody had. It also knows
   * what was said after this step began, so each status that the step writes is to pass through it.
   */
  readonly amendStatus: (status: PodStatus) => PodStatus;
  /** Aborts when the grace period was shortened, to begin again with less, or when the agent stops. */
  readonly signal: AbortSignal;
}

/** One step for a pod whose containers have all stopped. */
export interface TerminatedRequest {
  readonly subject: PodSubject;
  readonly status: RuntimePodStatus;
  /** Whether nothing of it is to stay: containers, sandboxes, logs and directories go. */
  readonly removeContent: boolean;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * What a worker calls. For one pod the calls come one at a time; for different pods, at the same time. A rejection is retried: after ten
 * seconds or so, or when the error says so (see {@link RetryHint}).
 *
 * A call whose signal aborts should end soon, after it has taken care of what it began. Until it ends nothing else is done for that pod: a second step
 * beside one that still changes the runtime could double containers or leave one running. So a call that never ends holds up the end of its pod, as a hung
 * runtime does in a kubelet; each call should bound the time of what it waits for. Its age is in `inspect()` and in a metric, and it is logged.
 */
export interface PodSyncer {
  /** Brings the runtime to what the pod's spec says. @returns whether the pod has completed: its containers ended and none will be restarted. */
  syncPod(request: SyncRequest): Promise<{ readonly completed: boolean }>;
  /** Stops all containers. Resolves only when none is running. */
  syncTerminatingPod(request: TerminatingRequest): Promise<void>;
  /** Cleans up after the pod. Called again with `removeContent` if the pod turns out to be deleted while it runs without. */
  syncTerminatedPod(request: TerminatedRequest): Promise<void>;
}

/** What an error that a {@link PodSyncer} rejects with may say about the next try. */
export interface RetryHint {
  /** Nothing will succeed before this time, in epoch milliseconds: the back-off of a container or of an image. */
  readonly backoffUntilMs?: number;
  /** The cause may pass soon: the pod is tried again after about a second, as the kubelet does while the network is not ready. */
  readonly transient?: boolean;
}
