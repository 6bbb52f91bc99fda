import type { Pod, PodStatus } from '@rxlet/kube-api';

/** A pod with the status that the node agent holds of it. */
export interface PodStatusUpdate {
  /** The pod as it was handed in with this status; its own `status` may be older. */
  readonly pod: Pod;
  readonly status: PodStatus;
  /** Grows with every change of any pod, so that of two updates of a pod the one with the higher version is the later. */
  readonly version: number;
  /** Whether the node is done with the pod: nothing of it runs, nothing is left to clean up. An API object being deleted may go now. */
  readonly finished: boolean;
  /** The mirror pod in the API under which a static pod is reported; set on the way to a sink, where the manager knows mirror pods. */
  readonly mirrorPod?: Pod | undefined;
}

/**
 * Where statuses are published: an API server, a file, whatever watches. The manager never has two calls for one pod under way at a time, and hands
 * over only the latest status of each; a call that rejects, or takes too long, is repeated with back-off, with the latest status by then.
 */
export interface StatusSink {
  /**
   * Resolves when the status is published. A version may come once more: when more of it may be told, or the sink is said to have lost it. The promise
   * must reject soon after `signal` aborts, and nothing change from then on: the next call for the pod may follow at once.
   */
  publish(update: PodStatusUpdate, signal: AbortSignal): Promise<void>;
}
