import { type Image, digestOf, imageInRegistry } from '../image.ts';
import { formatReference, type ImageReference, parseImageReference } from '../image-reference.ts';
import type { FakeImage, FakePullError } from './fake-image.ts';

/** The registry of all images: what a pull would find. It makes up every image that nobody has described or withdrawn. */
export interface ImageRegistry {
  /**
   * Offers `image` under its tags from now on, in place of what was there. Throws InvalidArgument for a malformed tag or digest. What was pulled
   * stays as it is; a pull of a tag whose digest has changed takes that tag away from the image that had it.
   */
  publish(image: FakeImage): void;
  /** Has nothing under `reference` from now on: pulling it fails with NotFound. */
  withdraw(reference: string): void;
}

/** An {@link ImageRegistry} with what a pull asks of it. */
export interface PullableRegistry extends ImageRegistry {
  /** What is known about the image that `reference` leads to. */
  describe(reference: ImageReference): FakeImage | undefined;
  /** The image that `reference` leads to; `undefined` when there is none. */
  resolve(reference: ImageReference): Image | undefined;
  /** The error that the next pull of `image` has to fail with, and counts it as that. */
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
