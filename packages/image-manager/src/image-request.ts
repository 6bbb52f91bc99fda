import type { PodSandboxConfig } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';

/** A pod needs an image, for a container or a volume. */
export interface ImageRequest {
  readonly pod: Pod;
  /**
   * What events are about: `spec.containers{web}` for a container (see `containerFieldPath` of `@rxlet/pod-model`), empty for the pod as a whole, as for the
   * image of a volume.
   */
  readonly fieldPath: string;
  /** As the pod's author wrote it. */
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** The sandbox that the container will be in, as a hint for the runtime. */
  readonly sandboxConfig?: PodSandboxConfig | undefined;
  /** Name of the runtime handler that the pod's RuntimeClass selects. Default: the runtime's default. */
  readonly runtimeHandler?: string;
  /** Ends this request. A pull that other requests wait for goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** The fields of a CRI ImageSpec that a kubelet sets when it looks for or pulls `image`, the requested one with its default tag. */
export interface RequestedImageSpec {
  readonly image: string;
  readonly annotations: { [name: string]: string };
  readonly runtimeHandler: string;
}

/** The image as the runtime is asked for it. */
export function requestedImageSpec(request: ImageRequest, image: string): RequestedImageSpec {
  return {
    image,
    annotations: { ...request.pod.metadata?.annotations },
    runtimeHandler: request.runtimeHandler ?? '',
  };
}
