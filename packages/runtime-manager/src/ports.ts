import type { Clock, EventRecorder, Logger, Metrics, Random } from '@rxlet/component-base';
import type { ContainerConfig, Image, ImageService, PodSandboxConfig, RuntimeService } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, LifecycleHandler, Pod } from '@rxlet/kube-api';
import type { FileSystem } from './files/file-system.ts';
import type { MemoryUsage } from './resize/memory-usage.ts';
import type { PodCgroups } from './resize/pod-cgroups.ts';
import type { ImageFailureReason } from './sync/sync-result.ts';

/** What an image is wanted for. */
export interface EnsureImageRequest {
  readonly pod: Pod;
  /** Name of the container; empty for the image of a volume. */
  readonly container: string;
  /** Where the container stands in the pod, for events: `spec.containers{web}`. Empty for the image of a volume, which concerns the pod as a whole. */
  readonly fieldPath: string;
  /** As it stands in the pod's spec. */
  readonly image: string;
  /** `Always`, `IfNotPresent` or `Never`; empty when the pod was not defaulted. */
  readonly pullPolicy: string;
  /** Goes along with the pull, so that the runtime knows whose it is. */
  readonly sandboxConfig: PodSandboxConfig;
  /** Name of the runtime handler that the pod's RuntimeClass selects; empty: the runtime's default. */
  readonly runtimeHandler: string;
  readonly signal?: AbortSignal | undefined;
}

/** The error that an {@link ImageEnsurer} rejects with. */
export interface ImageFailure extends Error {
  readonly reason: ImageFailureReason;
  /** Set for a back-off: from when on (epoch milliseconds) it is worth asking again. */
  readonly backoffUntilMs?: number | undefined;
}

/** Makes images present: the port that an image manager implements. */
export interface ImageEnsurer {
  /**
   * Pulls the image if need be.
   * @throws ImageFailure; any other error counts as `ErrImagePull`.
   */
  ensureImageExists(request: EnsureImageRequest): Promise<EnsuredImage>;
}

/** An image that is there. */
export interface EnsuredImage {
  /** How to name it to the runtime. */
  readonly imageRef: string;
  /** What ImageStatus said of its user, where the image was found by that call; it spares another one. Absent: the runtime is asked. */
  readonly user?: Pick<Image, 'uid' | 'username'> | undefined;
}

/** What a lifecycle hook is run for. */
export interface LifecycleHookRequest {
  readonly pod: Pod;
  readonly container: string;
  /** Id as the runtime knows it. */
  readonly containerId: string;
  readonly handler: LifecycleHandler;
  readonly signal?: AbortSignal | undefined;
}

/** Runs lifecycle hooks. A rejection means that the hook failed; its message is shown to the pod's owner. */
export interface LifecycleHooks {
  postStart(request: LifecycleHookRequest): Promise<void>;
  preStop(request: LifecycleHookRequest): Promise<void>;
}

/**
 * Told of the stages of each container's life by the manager itself, on behalf of what shares out the node's CPUs, memory and devices (the kubelet's
 * InternalContainerLifecycle). Each is optional.
 */
export interface InternalHooks {
  /** Before a container is created; may amend its configuration, as with the CPUs it is to run on. A throw keeps the container from being created. */
  preCreate?(pod: Pod, container: Container | EphemeralContainer, config: ContainerConfig): void | Promise<void>;
  /** After a container was created and before it is started. A throw keeps it from being started. */
  preStart?(pod: Pod, container: Container | EphemeralContainer, containerId: string): void | Promise<void>;
  /** A container does not run any more: what it was given is free. May be told several times of one container; a throw is only logged. */
  postStop?(containerId: string): void | Promise<void>;
}

/** What a runtime manager needs from its surroundings. */
export interface RuntimeManagerPorts {
  readonly runtime: RuntimeService;
  readonly images: ImageEnsurer;
  /** Tells the user that an image names. */
  readonly imageService: Pick<ImageService, 'imageStatus'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly files: FileSystem;
  /** Absent: containers with hooks are not started, and preStop hooks of those found running are reported as failed. */
  readonly hooks?: LifecycleHooks | undefined;
  readonly internalHooks?: InternalHooks | undefined;
  /** Absent: pods have no cgroups that anybody keeps, so that a resize changes those of containers only. */
  readonly podCgroups?: PodCgroups | undefined;
  /** Asked before a memory limit is lowered. Default: the runtime's own statistics. */
  readonly memoryUsage?: MemoryUsage | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}
