import type { Observable } from 'rxjs';
import { type Clock, createRateLimiter } from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';
import type { ImageMetrics } from './image-metrics.ts';
import { type ImageRequest, requestedImageSpec } from './image-request.ts';
import { createPullQueue, type ImagePull } from './pull-queue.ts';

/** Named and defaulted as in KubeletConfiguration. */
export interface ImagePullerOptions {
  /** One pull at a time. Default: true. */
  readonly serializeImagePulls?: boolean;
  /** How many pulls at a time when they are not serialized; at least 1. Default: no limit. */
  readonly maxParallelImagePulls?: number;
  /** How many pulls a second may be started; those beyond fail at once. `0`: any number. Default: 5. */
  readonly registryPullQps?: number;
  /** How many pulls may be started at once within `registryPullQps`. Default: 10. */
  readonly registryPullBurst?: number;
}

/** The outcome of a pull. */
export interface PulledImage {
  /** What the runtime calls the image, to create containers with. */
  readonly imageRef: string;
  /** How long the runtime took, without the wait for a turn. */
  readonly durationMs: number;
  /** `0` when the runtime does not tell. */
  readonly sizeBytes: number;
}

/** Pulls images through the runtime, each at its turn. */
export interface ImagePuller extends AsyncDisposable {
  /** Pulls `image`, the one of the request with its default tag. Rejects with what the runtime answers, or when the request's signal aborts. */
  pull(request: ImageRequest, image: string): Promise<PulledImage>;
  readonly pulls$: Observable<readonly ImagePull[]>;
}

/** Creates an {@link ImagePuller}. @throws RangeError when the options contradict each other. */
export function createImagePuller(
  images: Pick<ImageService, 'imageStatus' | 'pullImage'>,
  clock: Clock,
  metrics: ImageMetrics,
  options: ImagePullerOptions,
): ImagePuller {
  const queue = createPullQueue<PulledImage>(clock, maxParallelPulls(options));
  const limiter = createRateLimiter(clock, options.registryPullQps ?? 5, options.registryPullBurst ?? 10);

  const callRuntime = async (request: ImageRequest, image: string, signal: AbortSignal): Promise<PulledImage> => {
    if (!limiter.tryAcquire()) throw new Error('pull QPS exceeded');
    const spec = requestedImageSpec(request, image);
    const startMs = clock.monotonicNow();
    // A pull takes as long as it takes: it ends early only when nobody waits for it any more.
    const { imageRef } = await images.pullImage(
      { image: spec, ...(request.sandboxConfig && { sandboxConfig: request.sandboxConfig }) },
      { signal, timeoutMs: Infinity },
    );
    const durationMs = clock.monotonicNow() - startMs;
    if (imageRef === '') throw new Error(`imageRef of image ${JSON.stringify(image)} is not set`);
    // The size is only told to people; a pull does not fail for want of it.
    const found = await images.imageStatus({ image: spec }, { signal }).catch(() => undefined);
    const sizeBytes = Number(found?.image?.size ?? 0n);
    metrics.pulled(durationMs, sizeBytes);
    return { imageRef, durationMs, sizeBytes };
  };

  return {
    pull: (request, image) =>
      queue.pull(
        {
          key: JSON.stringify([image, request.runtimeHandler ?? '']),
          image,
          run: (signal) => callRuntime(request, image, signal),
        },
        request.signal,
      ),
    pulls$: queue.pulls$,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

function maxParallelPulls({ serializeImagePulls = true, maxParallelImagePulls }: ImagePullerOptions): number {
  if (maxParallelImagePulls !== undefined && maxParallelImagePulls < 1) {
    throw new RangeError(`maxParallelImagePulls is ${String(maxParallelImagePulls)}; it must be at least 1`);
  }
  if (serializeImagePulls && (maxParallelImagePulls ?? 1) > 1) {
    throw new RangeError('maxParallelImagePulls cannot be more than 1 unless serializeImagePulls is false');
  }
  return serializeImagePulls ? 1 : (maxParallelImagePulls ?? Infinity);
}
