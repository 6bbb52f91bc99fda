import { errorMessage } from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';
import type { ImageEnsurer, ImageFailure } from '../ports.ts';
import type { ImageFailureReason } from '../sync/sync-result.ts';

/** An {@link ImageEnsurer} that pulls what is not there, without queues, credentials and back-off: enough for tests. */
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

/** Makes the error that an {@link ImageEnsurer} rejects with. */
export function imageFailure(reason: ImageFailureReason, message: string, backoffUntilMs?: number): ImageFailure {
  return Object.assign(new Error(message), { reason, backoffUntilMs });
}
