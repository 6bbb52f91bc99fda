import type { EnsureImageRequest } from '@rxlet/agent-api/images';

/** Request for an image, for a container or a volume of a pod. */
export interface ImageRequest extends Omit<
  EnsureImageRequest,
  'container' | 'pullPolicy' | 'sandboxConfig' | 'runtimeHandler'
> {
  /** Container, for the journal; absent or empty for the image of a volume. */
  readonly container?: string | undefined;
  /** `Always`, `IfNotPresent` or `Never`. Default: `Always`, as in the kubelet for a pod without the API's defaults. */
  readonly pullPolicy?: string | undefined;
  /** Sandbox of the container, as a hint for the runtime. */
  readonly sandboxConfig?: EnsureImageRequest['sandboxConfig'] | undefined;
  /** Runtime handler that the pod's RuntimeClass selects. Default: the runtime's default. */
  readonly runtimeHandler?: string | undefined;
}

/** Fields of a CRI ImageSpec that a kubelet sets when it looks up or pulls `image`, the requested one with its default tag. */
export interface RequestedImageSpec {
  readonly image: string;
  readonly annotations: { [name: string]: string };
  readonly runtimeHandler: string;
}

/** Returns the ImageSpec of a request. */
export function requestedImageSpec(request: ImageRequest, image: string): RequestedImageSpec {
  return {
    image,
    annotations: { ...request.pod.metadata?.annotations },
    runtimeHandler: request.runtimeHandler ?? '',
  };
}
