/** Identity of a pod. The UID alone identifies it: a pod of the same name may follow. */
export interface ProviderPodReference {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** Reason and message of a pod that fails for good. */
export interface PodRejection {
  /** A word in CamelCase for machines. */
  readonly reason: string;
  readonly message: string;
}

/** A change of the pods of a provider, in the order in which they happened. */
export type ProviderPodChange =
  | {
      /** All pods that the provider has. */
      readonly type: 'snapshot';
      readonly pods: readonly ProviderPod[];
    }
  | {
      /** A pod that is new or has changed. */
      readonly type: 'changed';
      readonly pod: ProviderPod;
    }
  | {
      /** A pod that the provider no longer has. Nothing may follow of it under the same UID, unless it is created again. */
      readonly type: 'removed';
      readonly uid: string;
      /** Why the provider removed it, for a removal that the agent did not request: such a pod fails. Default: `NotFound`. */
      readonly reason?: string;
      readonly message?: string;
    };

/** A pod as a provider has it. The agent makes the pod's status of it: phase, conditions and times are no business of a provider. */
export interface ProviderPod extends ProviderPodReference {
  /** Addresses of the pod, the primary one first. Default: none. */
  readonly ips?: readonly string[];
  /** Each container of the pod's spec, init containers as well. A missing one counts as waiting. */
  readonly containers: readonly ProviderContainer[];
  /** Why the provider has given the pod up; it fails for good. Default: it has not. */
  readonly failure?: PodRejection;
}

/** The current instance of a container. */
export type ProviderContainer = WaitingContainer | RunningContainer | ExitedContainer;

/** Properties of containers in every state. */
interface ContainerInstance {
  /** Name of the container in the pod's spec. */
  readonly name: string;
  /** Number of instances before this one. Default: counted by the agent, which sees no restart between two changes. */
  readonly restartCount?: number;
  /** Id of the instance. Default: made of the pod's UID, the name and the restart count. */
  readonly id?: string;
  /** Image that the provider runs. Default: that of the pod's spec. */
  readonly image?: string;
}

/** A container that has not started yet. */
export interface WaitingContainer extends ContainerInstance {
  readonly state: 'waiting';
  /** Why it waits, such as `ImagePullBackOff`. Default: `ContainerCreating`. */
  readonly reason?: string;
  readonly message?: string;
}

/** A container that runs. */
export interface RunningContainer extends ContainerInstance {
  readonly state: 'running';
  /** Milliseconds since the epoch. Default: when the agent first saw it run. */
  readonly startedAtMs?: number;
  /** Whether it passes its readiness probe. Default: true. */
  readonly ready?: boolean;
}

/** A container that has ended. */
export interface ExitedContainer extends ContainerInstance {
  readonly state: 'exited';
  readonly exitCode: number;
  /** Milliseconds since the epoch. Default: when the agent first saw it run. */
  readonly startedAtMs?: number;
  /** Milliseconds since the epoch. Default: when the agent first saw it ended. */
  readonly finishedAtMs?: number;
  /** Default: `Completed` for exit code 0, else `Error`. */
  readonly reason?: string;
  readonly message?: string;
}
