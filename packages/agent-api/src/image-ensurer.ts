import type { Image, PodSandboxConfig } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Makes images present on the node. Without a provider, containers start only from images that are on the node. */
export const imageEnsurer: ServiceKey<ImageEnsurer> = serviceKey('image ensurer');

/** Makes images present on the node, as an image manager does. */
export interface ImageEnsurer {
  /** Pulls the image if its policy demands it. @throws ImageFailure; any other error counts as `ErrImagePull` */
  ensureImageExists(request: EnsureImageRequest): Promise<EnsuredImage>;
}

/** An image and its user. */
export interface EnsureImageRequest {
  readonly pod: Pod;
  /** Name of the container; empty for the image of a volume. */
  readonly container: string;
  /** Field path of the container for events, `spec.containers{web}`; empty for the image of a volume. */
  readonly fieldPath: string;
  /** Reference from the pod's spec. */
  readonly image: string;
  /** `Always`, `IfNotPresent` or `Never`; empty in a pod without defaults. */
  readonly pullPolicy: string;
  /** Sandbox that the pull belongs to (CRI PullImageRequest). */
  readonly sandboxConfig: PodSandboxConfig;
  /** Runtime handler of the pod's RuntimeClass; empty for the default handler. */
  readonly runtimeHandler: string;
  readonly signal?: AbortSignal | undefined;
}

/** An image that is present. */
export interface EnsuredImage {
  /** Reference by which the runtime finds the image. */
  readonly imageRef: string;
  /** User of the image, where ImageStatus reported it in the same call. Absent: the runtime is queried. */
  readonly user?: Pick<Image, 'uid' | 'username'> | undefined;
}

/** Reasons for which a container waits for its image. */
export type ImageFailureReason =
  | 'ErrImageNeverPull'
  | 'ErrImagePull'
  | 'ImageInspectError'
  | 'ImagePullBackOff'
  | 'InvalidImageName'
  | 'RegistryUnavailable'
  | 'SignatureValidationFailed';

/** The error with which an {@link ImageEnsurer} rejects. */
export interface ImageFailure extends Error {
  readonly reason: ImageFailureReason;
  /** End of a back-off, in epoch milliseconds. */
  readonly backoffUntilMs?: number | undefined;
}
