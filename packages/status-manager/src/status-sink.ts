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
}

/**
 * Where statuses are published: an API server, a file, whatever watches. The manager never has two calls for one pod under way at a time, and hands
 * over only the latest status of each; a call that rejects is repeated with back-off, unless there is a later status by then.
 */
export interface StatusSink {
  /** Resolves when the status is published. It must reject soon after `signal` aborts. */
  publish(update: PodStatusUpdate, signal: AbortSignal): Promise<void>;
}
