export { decideImage, type ImagePresence, type ImageStep } from './decide-image.ts';
export { ImageError } from './image-error.ts';
export { imageManagement, type ImageManagementOptions } from './image-management-module.ts';
export { createImageHolds, type ImageHolds, type ImageHoldsOptions } from './image-holds.ts';
export {
  createImageManager,
  type ImageManager,
  type ImageManagerOptions,
  type ImageManagerPorts,
} from './image-manager.ts';
export type { ImagePullerOptions } from './image-puller.ts';
export { applyDefaultTag, type ImageReference, ImageReferenceError, parseImageReference } from './image-reference.ts';
export type { ImageRequest } from './image-request.ts';
export type { PullBackoffOptions } from './pull-backoff.ts';
