import type { ResizableResource } from './container-resize.ts';

/**
 * Reason for killing a container. After a failed probe, the probe's own grace period applies. `Unknown` means that the runtime reports no state of the
 * container.
 */
export type KillReason = '' | 'LivenessProbe' | 'StartupProbe' | 'Unknown';

/** Container to stop while its pod continues. */
export interface ContainerToKill {
  /** Id without the runtime's name. */
  readonly id: string;
  /** Name in the pod's spec. */
  readonly name: string;
  /** Message of the `Killing` event. */
  readonly message: string;
  readonly reason: KillReason;
}

/** Container instance to remove because all containers of the pod restart in place. */
export interface ContainerToReset {
  readonly id: string;
  readonly name: string;
  /** Whether the instance must be killed before it is removed. */
  readonly kill: boolean;
  /** Whether it is killed with the pod's grace period and its preStop hook. Default: as in the kubelet, without. */
  readonly isGraceful?: boolean;
}

/** Next actions for one pod. `syncPod` performs them in the order of the fields. */
export interface PodActions {
  /** Whether to kill all containers and stop all sandboxes of the pod. */
  readonly killPod: boolean;
  /** Whether to create a sandbox, after the previous one has stopped. */
  readonly createSandbox: boolean;
  /** Id of the sandbox to start containers in, or of the sandbox to replace; empty without one. */
  readonly sandboxId: string;
  /** Attempt number of the current sandbox, or of the sandbox to create. */
  readonly attempt: number;
  /** Containers to stop if `killPod` is false. */
  readonly containersToKill: readonly ContainerToKill[];
  /** Instances to remove for a restart of all containers, in this order. If there are any, no other action is set. */
  readonly containersToReset: readonly ContainerToReset[];
  /** Indexes into `spec.ephemeralContainers`. */
  readonly ephemeralContainersToStart: readonly number[];
  /** Indexes into `spec.initContainers`, ascending. */
  readonly initContainersToStart: readonly number[];
  /** Changed resource → names of the running containers to resize in place, decreases first. */
  readonly containersToUpdate: Readonly<Partial<Record<ResizableResource, readonly string[]>>>;
  /** Whether a container restarts with other resources, so that the pod's cgroup must be updated. */
  readonly updatePodResources: boolean;
  /** Set when the pod-level resources (KEP-2837) have changed. */
  readonly updatePodLevelResources?: true;
  /** Indexes into `spec.containers`. */
  readonly containersToStart: readonly number[];
}
