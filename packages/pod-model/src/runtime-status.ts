/** What a container is doing, as the runtime reports it (CRI ContainerState). */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** Whether a sandbox can take containers (CRI PodSandboxState). */
export type RuntimeSandboxState = 'ready' | 'notready';

/** A container's id with the runtime that gave it, in the API written `containerd://0123…`. */
export interface ContainerId {
  /** Runtime name as CRI Version reports it, e.g. `containerd`. */
  readonly type: string;
  readonly id: string;
}

/** A container as ListContainers shows it: enough to see that something changed. */
export interface RuntimeContainer {
  readonly id: ContainerId;
  /** Name in the pod spec (label `io.kubernetes.container.name`). */
  readonly name: string;
  readonly sandboxId: string;
  readonly state: RuntimeContainerState;
  /** Hash of the spec it was made from (annotation `io.kubernetes.container.hash`), lower-case hex; empty when it has none. */
  readonly hash: string;
  readonly attempt: number;
  /** Nanoseconds since the epoch. */
  readonly createdAtNanos: bigint;
  /** Image as given at creation. */
  readonly image: string;
  /** Image id or digest the runtime resolved it to. */
  readonly imageRef: string;
}

/** A sandbox as ListPodSandbox shows it. */
export interface RuntimeSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly state: RuntimeSandboxState;
  /** Nanoseconds since the epoch. */
  readonly createdAtNanos: bigint;
}

/** All that the runtime holds of one pod, from the two list calls. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Highest attempt first, then newest first. Empty when only containers are left. */
  readonly sandboxes: readonly RuntimeSandbox[];
  /** Newest first; several attempts of one container share a name. */
  readonly containers: readonly RuntimeContainer[];
}

/** Resources that apply to a container (CRI ContainerResources), in the units of the API. */
export interface RuntimeContainerResources {
  readonly cpuRequestMillis?: number;
  readonly cpuLimitMillis?: number;
  readonly memoryRequestBytes?: number;
  readonly memoryLimitBytes?: number;
}

/** The identity of a container's first process (CRI ContainerUser.linux). */
export interface RuntimeContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

/** A mount of a container, as far as the agent needs it back. */
export interface RuntimeMount {
  readonly containerPath: string;
  readonly hostPath: string;
}

/** One instance of a container in full (CRI ContainerStatus). */
export interface RuntimeContainerStatus {
  readonly id: ContainerId;
  readonly name: string;
  /** The sandbox it belongs to; empty when the runtime does not say. */
  readonly sandboxId: string;
  readonly state: RuntimeContainerState;
  /** Nanoseconds since the epoch. */
  readonly createdAtNanos: bigint;
  /** Nanoseconds since the epoch; `0n` unless it was started. */
  readonly startedAtNanos: bigint;
  /** Nanoseconds since the epoch; `0n` unless it exited. */
  readonly finishedAtNanos: bigint;
  /** Meaningful when exited. */
  readonly exitCode: number;
  /** The runtime's word for why it is in its state, e.g. `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  readonly message: string;
  /** Image name to show. */
  readonly image: string;
  /** Image the runtime resolved it to, for `imageID`. */
  readonly imageRef: string;
  /** Image id, to find the image in use; falls back to {@link imageRef}. */
  readonly imageId: string;
  /** See {@link RuntimeContainer.hash}. */
  readonly hash: string;
  /** From annotation `io.kubernetes.container.restartCount`. */
  readonly restartCount: number;
  /** Absolute path of its log file on the node. */
  readonly logPath: string;
  readonly mounts: readonly RuntimeMount[];
  readonly resources?: RuntimeContainerResources;
  readonly user?: RuntimeContainerUser;
}

/** One sandbox in full (CRI PodSandboxStatus). */
export interface RuntimeSandboxStatus extends RuntimeSandbox {
  /** Primary IP first; empty for a pod on the host network. */
  readonly ips: readonly string[];
  /** Whether the sandbox shares the node's network namespace. */
  readonly hostNetwork: boolean;
  /** Whether the runtime reported a network status at all. */
  readonly hasNetworkStatus: boolean;
  readonly runtimeHandler: string;
}

/** What the runtime holds of one pod in full: the input of every decision about it. */
export interface RuntimePodStatus {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** IPs of the newest sandbox if that one is ready; empty otherwise. */
  readonly ips: readonly string[];
  /** Highest attempt first, then newest first. */
  readonly sandboxes: readonly RuntimeSandboxStatus[];
  /** Every instance of every container, newest first. */
  readonly containers: readonly RuntimeContainerStatus[];
}

/** The status of a pod of which the runtime holds nothing. */
export function emptyRuntimePodStatus(uid: string, name = '', namespace = ''): RuntimePodStatus {
  return { uid, name, namespace, ips: [], sandboxes: [], containers: [] };
}
