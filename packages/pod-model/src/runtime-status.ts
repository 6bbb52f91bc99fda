/** State of a container (CRI ContainerState). */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** State of a sandbox (CRI PodSandboxState). */
export type RuntimeSandboxState = 'ready' | 'notready';

/** Container id with the runtime's name, `containerd://0123…` in the API. */
export interface ContainerId {
  /** Runtime name as CRI Version reports it, e.g. `containerd`. */
  readonly type: string;
  readonly id: string;
}

/** Container in a response of ListContainers. */
export interface RuntimeContainer {
  readonly id: ContainerId;
  /** Name in the pod spec (label `io.kubernetes.container.name`). */
  readonly name: string;
  readonly sandboxId: string;
  readonly state: RuntimeContainerState;
  /** Hash of the spec it was created from (annotation `io.kubernetes.container.hash`), in lower-case hex; empty without the annotation. */
  readonly hash: string;
  readonly attempt: number;
  /** Nanoseconds since the epoch. */
  readonly createdAtNanos: bigint;
  /** Image as given at creation. */
  readonly image: string;
  /** Image id or digest that the runtime resolved. */
  readonly imageRef: string;
}

/** Sandbox in a response of ListPodSandbox. */
export interface RuntimeSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly state: RuntimeSandboxState;
  /** Nanoseconds since the epoch. */
  readonly createdAtNanos: bigint;
}

/** Sandboxes and containers of one pod, from the two list calls. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Highest attempt first, then newest first. Empty if the pod has only containers. */
  readonly sandboxes: readonly RuntimeSandbox[];
  /** Highest attempt first, then newest first; several attempts of one container share a name. */
  readonly containers: readonly RuntimeContainer[];
}

/** Resources that apply to a container (CRI ContainerResources), in the units of the API. */
export interface RuntimeContainerResources {
  readonly cpuRequestMillis?: number;
  readonly cpuLimitMillis?: number;
  readonly memoryRequestBytes?: number;
  readonly memoryLimitBytes?: number;
}

/** Identity of a container's first process (CRI ContainerUser.linux). */
export interface RuntimeContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

/** Mount of a container. */
export interface RuntimeMount {
  readonly containerPath: string;
  readonly hostPath: string;
}

/** Status of a container instance (CRI ContainerStatus). */
export interface RuntimeContainerStatus {
  readonly id: ContainerId;
  readonly name: string;
  /** Id of its sandbox; empty when the runtime does not report it. */
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
  /** Runtime's reason for the state, such as `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  readonly message: string;
  /** Image name for users. */
  readonly image: string;
  /** Image reference that the runtime resolved, for `imageID`. */
  readonly imageRef: string;
  /** Image id, to detect images in use; falls back to {@link imageRef}. */
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

/** Status of a sandbox (CRI PodSandboxStatus). */
export interface RuntimeSandboxStatus extends RuntimeSandbox {
  /** Primary IP first; empty for a pod on the host network. */
  readonly ips: readonly string[];
  /** Whether the sandbox shares the node's network namespace. */
  readonly hostNetwork: boolean;
  /** Whether the runtime reported a network status, with valid addresses or without any. Invalid ones show that the sandbox has a network. */
  readonly hasNetworkStatus: boolean;
  readonly runtimeHandler: string;
}

/** Sandboxes and containers of one pod with their statuses: the input of every decision about the pod. */
export interface RuntimePodStatus {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** IPs of the newest sandbox if that one is ready; empty otherwise. */
  readonly ips: readonly string[];
  /** Highest attempt first, then newest first. */
  readonly sandboxes: readonly RuntimeSandboxStatus[];
  /** Every instance of every container, highest attempt first, then newest first. */
  readonly containers: readonly RuntimeContainerStatus[];
}

/** Returns the status of a pod without sandboxes and containers. */
export function emptyRuntimePodStatus(uid: string, name = '', namespace = ''): RuntimePodStatus {
  return { uid, name, namespace, ips: [], sandboxes: [], containers: [] };
}
