import type { ImageEnsurer, ImageFailure, ImageFailureReason } from '@rxlet/agent-api/images';
import { errorMessage } from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';

/** Creates an {@link ImageEnsurer} for tests, which pulls missing images without queues, credentials and back-off. */
export function createDirectImageEnsurer(images: Pick<ImageService, 'imageStatus' | 'pullImage'>): ImageEnsurer {
  return {
    async ensureImageExists({ image, sandboxConfig, signal }) {
      const { image: present } = await images.imageStatus({ image: { image } }, { signal });
      if (present !== undefined) return { imageRef: present.id, user: present };
      try {
        const { imageRef } = await images.pullImage({ image: { image }, sandboxConfig }, { signal });
        return { imageRef };
      } catch (error) {
        throw imageFailure('ErrImagePull', errorMessage(error));
      }
    },
  };
}

/** Creates the error that an {@link ImageEnsurer} rejects with. */
export function imageFailure(reason: ImageFailureReason, message: string, backoffUntilMs?: number): ImageFailure {
  return Object.assign(new Error(message), { reason, backoffUntilMs });
}
