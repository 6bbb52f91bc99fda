import type { ResizableResource } from './container-resize.ts';

/**
 * Why a container is killed, beside the message for its owner: a failed probe selects the probe's own grace period, `Unknown` says that the runtime
 * could not tell the container's state, and an empty reason has no such consequence.
 */
export type KillReason = '' | 'LivenessProbe' | 'StartupProbe' | 'Unknown';

/** A running (or unknown) container that must stop while its pod lives on. */
export interface ContainerToKill {
  /** Id as the runtime knows it, without the runtime's name. */
  readonly id: string;
  /** Name in the pod's spec. */
  readonly name: string;
  /** Message of the `Killing` event. */
  readonly message: string;
  readonly reason: KillReason;
}

/** A container instance that goes away because all containers of the pod restart in place. */
export interface ContainerToReset {
  readonly id: string;
  readonly name: string;
  /** Whether it must still be killed before it can be removed. */
  readonly kill: boolean;
}

/** What has to be done for one pod next. Executing it is the task of `syncPod`, in the order in which the fields stand here. */
export interface PodActions {
  /** Kill every container and stop every sandbox of the pod. */
  readonly killPod: boolean;
  /** Make a new sandbox, after the old one is gone. */
  readonly createSandbox: boolean;
  /** The sandbox that containers are started in, or the one that is replaced; empty when there is none. */
  readonly sandboxId: string;
  /** Attempt number of the sandbox: the current one, or that of the sandbox to create. */
  readonly attempt: number;
  /** Containers that must stop, when not the whole pod does. */
  readonly containersToKill: readonly ContainerToKill[];
  /** Instances to remove for a restart of all containers, in this order. When there are any, nothing else is to be done. */
  readonly containersToReset: readonly ContainerToReset[];
  /** Indexes into `spec.ephemeralContainers`. */
  readonly ephemeralContainersToStart: readonly number[];
  /** Indexes into `spec.initContainers`, ascending. */
  readonly initContainersToStart: readonly number[];
  /** Resource → names of the running containers whose resources change in place, in order: decreases first. Only resources that change. */
  readonly containersToUpdate: Readonly<Partial<Record<ResizableResource, readonly string[]>>>;
  /** Whether a container restarts with other resources, so that its pod's cgroup must be brought up to date. */
  readonly updatePodResources: boolean;
  /** The resources of the pod as a whole (KEP-2837) have changed. Absent: they have not. */
  readonly updatePodLevelResources?: true;
  /** Indexes into `spec.containers`. */
  readonly containersToStart: readonly number[];
}
