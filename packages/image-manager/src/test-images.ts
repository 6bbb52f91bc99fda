import { type Clock, sleep } from '@rxlet/component-base';
import { type ImageService, ServiceError, StatusCode } from '@rxlet/cri-api';

/** Options of {@link createTestImages}. */
export interface TestImagesOptions {
  /** Images that are present from the start. */
  readonly present?: readonly string[];
  /** Duration of a pull on the clock. Default: 0. */
  readonly pullMs?: number;
  /** Size of each image. Default: 1 MB. */
  readonly sizeBytes?: bigint;
}

/** An image store with a registry that has every image, for tests. */
export interface TestImages extends Pick<ImageService, 'imageStatus' | 'pullImage'> {
  /** Present images. The id of an image is `id:` and its name. */
  readonly present: Set<string>;
  /** Images of the requested pulls, in order. */
  readonly pulls: readonly string[];
  /** Number of running pulls. */
  readonly running: number;
  /** Sets the error of every pull of the image; `undefined` removes it. */
  failPull(image: string, error: Error | undefined): void;
  /** Sets the error of every look-up of the image; `undefined` removes it. */
  failStatus(image: string, error: Error | undefined): void;
}

/** Creates {@link TestImages}. */
export function createTestImages(clock: Clock, options: TestImagesOptions = {}): TestImages {
  const { pullMs = 0, sizeBytes = 1_000_000n } = options;
  const present = new Set(options.present);
  const pulls: string[] = [];
  const pullErrors = new Map<string, Error | undefined>();
  const statusErrors = new Map<string, Error | undefined>();
  let running = 0;
  const nameOf = (spec: { image?: string } | undefined): string => {
    if (!spec?.image) throw new ServiceError(StatusCode.InvalidArgument, 'no image is given');
    return spec.image;
  };
  return {
    present,
    pulls,
    get running() {
      return running;
    },
    failPull: (image, error) => void pullErrors.set(image, error),
    failStatus: (image, error) => void statusErrors.set(image, error),
    async imageStatus(request, callOptions) {
      callOptions?.signal?.throwIfAborted();
      const image = nameOf(request.image);
      const error = statusErrors.get(image);
      if (error !== undefined) throw error;
      return {
        info: {},
        ...(present.has(image) && {
          image: {
            id: `id:${image}`,
            repoTags: [image],
            repoDigests: [],
            size: sizeBytes,
            username: '',
            pinned: false,
          },
        }),
      };
    },
    async pullImage(request, callOptions) {
      const image = nameOf(request.image);
      pulls.push(image);
      running += 1;
      try {
        if (pullMs > 0) await sleep(clock, pullMs, callOptions?.signal);
      } finally {
        running -= 1;
      }
      const error = pullErrors.get(image);
      if (error !== undefined) throw error;
      present.add(image);
      return { imageRef: `id:${image}` };
    },
  };
}
