import type { ImageEnsurer, ImageFailure, ImageFailureReason } from '@rxlet/agent-api/images';
import { goQuote } from '@rxlet/component-base/go';
import { callErrorText, type Image, type ImageService } from '@rxlet/cri-api';

/**
 * Creates an {@link ImageEnsurer} that pulls nothing: it uses images that are on the node, whatever the pull policy. An image that is missing fails with
 * `ErrImageNeverPull`.
 */
export function imagesOnNode(imageService: Pick<ImageService, 'imageStatus'>): ImageEnsurer {
  return {
    async ensureImageExists({ image: name, signal }) {
      let image: Image | undefined;
      try {
        ({ image } = await imageService.imageStatus({ image: { image: name } }, { signal }));
      } catch (error) {
        throw imageFailure('ImageInspectError', `Failed to inspect image ${goQuote(name)}: ${callErrorText(error)}`, {
          cause: error,
        });
      }
      if (image === undefined) {
        const message = `Container image ${goQuote(name)} is not present on the node, and this agent pulls no images; import it into the runtime`;
        throw imageFailure('ErrImageNeverPull', message);
      }
      return { imageRef: image.id, user: { uid: image.uid, username: image.username } };
    },
  };
}

function imageFailure(reason: ImageFailureReason, message: string, options?: ErrorOptions): ImageFailure {
  return Object.assign(new Error(message, options), { reason });
}
