import type { Pod, PodStatus } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { PodSubject } from './pod-subject.ts';
import type { TerminationReason } from './termination-reason.ts';

/** A step for a pod that must run. */
export interface SyncRequest {
  readonly pod: Pod;
  /** Read from the runtime after everything that earlier steps changed in it. */
  readonly status: RuntimePodStatus;
  /** Aborts as soon as the pod must terminate, or the agent stops. */
  readonly signal: AbortSignal;
}

/** Outcome of a sync. */
export interface SyncOutcome {
  /** Whether the pod has completed: its containers ended and none will be restarted. */
  readonly completed: boolean;
  /** Whether the step changed nothing in the runtime, so that the next one needs no newer status. Default false; a rejection counts as a change. */
  readonly unchanged?: boolean;
  /** Cause why the pod is not yet as its spec demands. The step is retried as if it had rejected with it. */
  readonly error?: unknown;
}

/** A step for a pod that must stop. */
export interface TerminatingRequest {
  readonly subject: PodSubject;
  readonly status: RuntimePodStatus;
  readonly reason: TerminationReason;
  /** Grace period of its containers, in seconds. */
  readonly gracePeriodSeconds: number;
  /**
   * Adds the reason of its termination to the pod's status (see TerminationRequest), if a request has one. Requests that come after the step began count,
   * so each status that the step writes must pass through it.
   */
  readonly amendStatus: (status: PodStatus) => PodStatus;
  /** Whether to run preStop hooks. `false` after an attempt that was cut short, because a hook must not run twice. */
  readonly runPreStop: boolean;
  /**
   * Aborts when the agent stops, or when the node itself (an eviction, a shutdown) shortens the grace period: the next attempt follows at once. A deletion with a shorter
   * grace period applies from the next attempt, as in the kubelet.
   */
  readonly signal: AbortSignal;
}

/** A step for a pod whose containers have all stopped. */
export interface TerminatedRequest {
  readonly subject: PodSubject;
  readonly status: RuntimePodStatus;
  /** Whether its containers, sandboxes, logs and directories must be removed. */
  readonly removeContent: boolean;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * The steps that workers call: one at a time for a pod, in parallel for different pods. A rejected step is retried after ten to fifteen seconds, or when
 * its error has that hint (see {@link RetryHint}).
 *
 * A call whose signal aborts must end soon, after it has completed or undone what it started. Until it ends no other step runs for that pod: beside a
 * step that still changes the runtime, a second one could double containers or leave one running. A call that never ends therefore delays the end of its
 * pod, as a hung runtime does in a kubelet, so each call must bound its waits. `inspect()`, a metric and the log show its age.
 */
export interface PodSyncer {
  /** Drives the runtime towards the pod's spec. */
  syncPod(request: SyncRequest): Promise<SyncOutcome>;
  /** Stops all containers. Resolves only when none runs. */
  syncTerminatingPod(request: TerminatingRequest): Promise<void>;
  /** Cleans up after the pod. Called again with `removeContent` when the pod is deleted during a call without it. */
  syncTerminatedPod(request: TerminatedRequest): Promise<void>;
}

/** Properties of an error of a {@link PodSyncer} that determine the next attempt. */
export interface RetryHint {
  /** End of the back-off of a container or an image, in epoch milliseconds. No attempt succeeds before. */
  readonly backoffUntilMs?: number;
  /** Whether the cause may pass soon. The step is retried after 1 to 1.5 s, as in the kubelet while the network is not ready. */
  readonly transient?: boolean;
}
