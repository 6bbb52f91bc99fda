import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { type Image, digestOf, imageInRegistry } from '../image.ts';
import { formatReference, type ImageReference, parseImageReference } from '../image-reference.ts';
import type { FakeImage, FakePullError } from './fake-image.ts';
import { checkImage, ImageCatalogueError } from './image-catalogue.ts';

/** The registry of all images. It generates every image that was neither described nor withdrawn. */
export interface ImageRegistry {
  /**
   * Publishes `image` under its tags, replacing the images there. Throws InvalidArgument for a malformed tag or digest. Pulled images stay; a pull of a tag
   * whose digest has changed moves the tag to the new image.
   */
  publish(image: FakeImage): void;
  /** Withdraws `reference`: pulling it fails with NotFound. */
  withdraw(reference: string): void;
}

/** An {@link ImageRegistry} with the queries of a pull. */
export interface PullableRegistry extends ImageRegistry {
  /** Returns the description of the image at `reference`. */
  describe(reference: ImageReference): FakeImage | undefined;
  /** Returns the image at `reference`; `undefined` when there is none. */
  resolve(reference: ImageReference): Image | undefined;
  /** Returns the error of the next pull of `image`, and counts the pull. */
  takeError(image: FakeImage): FakePullError | undefined;
}

/** Creates a {@link PullableRegistry}. */
export function createImageRegistry(images: readonly FakeImage[], missing: readonly string[]): PullableRegistry {
  /** By tag and by digest, in full. */
  const described = new Map<string, FakeImage>();
  const withdrawn = new Set<string>();
  const pulls = new WeakMap<FakeImage, number>();

  const registry: PullableRegistry = {
    publish(image) {
      checkFields(image);
      const digest = digestOf(parseImageReference(image.tags[0]), image);
      const references = image.tags.map(parseImageReference);
      for (const reference of references) {
        const byDigest = parseImageReference(`${reference.repository}@${digest}`);
        for (const name of [reference, byDigest].map(formatReference)) {
          described.set(name, image);
          withdrawn.delete(name);
        }
      }
    },
    withdraw(reference) {
      const name = formatReference(parseImageReference(reference));
      described.delete(name);
      withdrawn.add(name);
    },
    describe: (reference) => described.get(formatReference(reference)),
    resolve(reference) {
      const name = formatReference(reference);
      return withdrawn.has(name) ? undefined : imageInRegistry(reference, described.get(name));
    },
    takeError(image) {
      let pull = pulls.get(image) ?? 0;
      pulls.set(image, pull + 1);
      for (const error of image.errors ?? []) {
        const times = error.times ?? 1;
        if (pull < times) return error;
        pull -= times;
      }
      return undefined;
    },
  };
  for (const image of images) registry.publish(image);
  for (const reference of missing) registry.withdraw(reference);
  return registry;
}

function checkFields(image: FakeImage): void {
  try {
    checkImage(image);
  } catch (error) {
    if (!(error instanceof ImageCatalogueError)) throw error;
    throw new ServiceError(StatusCode.InvalidArgument, error.message, { cause: error });
  }
}
