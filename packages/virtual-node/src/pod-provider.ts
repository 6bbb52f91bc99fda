import type { Pod } from '@rxlet/kube-api';
import type { CommandStreams } from '@rxlet/streaming';
import type { PodRejection, ProviderPodChange, ProviderPodReference } from './provider-pod.ts';

/**
 * Runs the pods of a virtual node: as processes, jobs of another scheduler, functions of a cloud. Calls that change one pod never overlap; calls for different pods do.
 * A call that rejects is an event of its pod and is repeated, so every call must be idempotent. Rejections with a `reason` are those of {@link ProviderError}.
 */
export interface PodProvider {
  /** Name of the provider. It prefixes container ids (`NAME://…`) and is the runtime's name in the Node object. */
  readonly name: string;

  /**
   * Emits the pods that the provider has, and their changes. The first change is a `snapshot`, and it includes pods of earlier runs: the agent adopts those that are
   * desired and deletes the others. Later snapshots are allowed, so that a provider may poll. The iteration ends, or throws, when the provider can no longer be
   * observed; it is then opened again with back-off, and the node is not ready meanwhile. A pod that cannot be read must not be missing in a snapshot.
   */
  watch(signal: AbortSignal): AsyncIterable<ProviderPodChange>;

  /** Starts a pod; resolves when the provider has accepted it. Resolves without an effect for a pod that the provider has. */
  create(pod: Pod, options: ProviderCallOptions): Promise<void>;

  /** Applies a changed pod: labels, annotations, images, resources. Also called once for each adopted pod. Absent: changes have no effect. */
  update?(pod: Pod, options: ProviderCallOptions): Promise<void>;

  /**
   * Ends a pod within its grace period and removes it; resolves when the provider has accepted that. The end shows in {@link PodProvider.watch}: the containers as
   * `exited`, then the removal. Called again when that takes longer than the grace period. Rejects with the reason `NotFound` only when the provider is certain that it has no
   * such pod.
   */
  delete(pod: ProviderPodReference, options: DeletePodOptions): Promise<void>;

  /** Returns why the provider cannot run a pod, which then fails for good; `undefined` when it can. Absent: it runs every pod. */
  admit?(pod: Pod): PodRejection | undefined;

  /** Reads the log of a container. Absent: the node has no logs. */
  logs?(container: ProviderContainerReference, options: ProviderLogOptions): AsyncIterable<Uint8Array>;

  /** Runs a command in a container; resolves with its exit code. Absent: the node runs no commands. */
  exec?(container: ProviderContainerReference, command: readonly string[], streams: ExecStreams): Promise<number>;

  /** Measures the running pods. Absent: the node has no statistics. */
  stats?(signal: AbortSignal): Promise<readonly ProviderPodStats[]>;
}

/** Options of a call of a {@link PodProvider}. */
export interface ProviderCallOptions {
  /** Aborts when the pod must terminate or the agent stops. The call must then reject soon. */
  readonly signal: AbortSignal;
}

/** Options of {@link PodProvider.delete}. */
export interface DeletePodOptions extends ProviderCallOptions {
  /** Time that containers have between the request to stop and their end by force, in seconds. */
  readonly gracePeriodSeconds: number;
}

/** A container of a pod. */
export interface ProviderContainerReference {
  readonly pod: ProviderPodReference;
  /** Name of the container in the pod's spec. */
  readonly container: string;
}

/** Part of a log, as in PodLogOptions of the API. */
export interface ProviderLogOptions extends ProviderCallOptions {
  /** Whether new lines follow until the container ends. */
  readonly follow: boolean;
  /** Whether the instance before the current one is meant. */
  readonly previous: boolean;
  /** Whether each line begins with its time in RFC 3339. */
  readonly timestamps: boolean;
  /** Number of lines from the end. Absent: all. */
  readonly tailLines?: number;
  /** Earliest time of a line, in milliseconds since the epoch. Absent: from the first line. */
  readonly sinceMs?: number;
  readonly limitBytes?: number;
}

/** Streams of {@link PodProvider.exec}. */
export interface ExecStreams extends CommandStreams {
  /** Whether the client has a terminal, which has one output: `stdout`. */
  readonly tty: boolean;
}

/** Measured use of a pod. */
export interface ProviderPodStats {
  readonly uid: string;
  readonly containers: readonly ProviderContainerStats[];
}

/** Measured use of a container. Amounts that were not measured are absent. */
export interface ProviderContainerStats {
  readonly name: string;
  /** CPU time since the start of the container, in nanoseconds. */
  readonly cpuNanoseconds?: number;
  readonly workingSetBytes?: number;
}
