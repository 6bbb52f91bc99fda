import type { Pod } from '@rxlet/kube-api';
import type { RuntimePod, RuntimePodStatus } from '@rxlet/pod-model';
import type { TerminationReason } from './pod-worker-state.ts';

/** Whom a worker works for: a pod with its spec, or what the runtime still holds of a pod that nobody knows. */
export type PodSubject =
  { readonly kind: 'pod'; readonly pod: Pod } | { readonly kind: 'runtime'; readonly pod: RuntimePod };

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
  /** Aborts when the grace period was shortened, to begin again with less, or when the agent stops. */
  readonly signal: AbortSignal;
}

/** One step for a pod whose containers have all stopped. */
export interface TerminatedRequest {
  readonly subject: PodSubject;
  readonly status: RuntimePodStatus;
  /** Whether nothing of it is to stay: containers, sandboxes, logs and directories go. */
  readonly removeContent: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a worker calls. For one pod the calls come one at a time; for different pods, at the same time. A rejection is retried: after ten
 * seconds or so, or when the error says so (see {@link RetryHint}).
 */
export interface PodSyncer {
  /** Brings the runtime to what the pod's spec says. @returns whether the pod has completed: its containers ended and none will be restarted. */
  syncPod(request: SyncRequest): Promise<{ readonly completed: boolean }>;
  /** Stops all containers. Resolves only when none is running. */
  syncTerminatingPod(request: TerminatingRequest): Promise<void>;
  /** Cleans up after the pod. */
  syncTerminatedPod(request: TerminatedRequest): Promise<void>;
}

/** What an error that a {@link PodSyncer} rejects with may say about the next try. */
export interface RetryHint {
  /** Nothing will succeed before this time, in epoch milliseconds: the back-off of a container or of an image. */
  readonly backoffUntilMs?: number;
  /** The cause may pass soon: the pod is tried again after about a second, as the kubelet does while the network is not ready. */
  readonly transient?: boolean;
}
