import type { Clock, EventRecorder, Logger, Metrics, Random } from '@rxlet/component-base';
import type { ImageService, PodSandboxConfig, RuntimeService } from '@rxlet/cri-api';
import type { LifecycleHandler, Pod } from '@rxlet/kube-api';
import type { FileSystem } from './files/file-system.ts';
import type { ImageFailureReason } from './sync/sync-result.ts';

/** What an image is wanted for. */
export interface EnsureImageRequest {
  readonly pod: Pod;
  /** Name of the container. */
  readonly container: string;
  /** Where the container stands in the pod, for events: `spec.containers{web}`. */
  readonly fieldPath: string;
  /** As it stands in the pod's spec. */
  readonly image: string;
  /** `Always`, `IfNotPresent` or `Never`; empty when the pod was not defaulted. */
  readonly pullPolicy: string;
  /** Goes along with the pull, so that the runtime knows whose it is. */
  readonly sandboxConfig: PodSandboxConfig;
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
   * @returns how to name the image to the runtime
   * @throws ImageFailure; any other error counts as `ErrImagePull`.
   */
  ensureImageExists(request: EnsureImageRequest): Promise<{ readonly imageRef: string }>;
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
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}
