import type { Observable } from 'rxjs';
import { type Clock, createRateLimiter, goQuote, withDeadline } from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';
import type { PullCredential, RegistryAuth } from './credentials/pull-credential.ts';
import type { ImageMetrics } from './image-metrics.ts';
import { type ImageRequest, requestedImageSpec } from './image-request.ts';
import { digestCredentials } from './pull-credentials-digest.ts';
import { combinePullErrors, isUnknownOutcome } from './pull-failure.ts';
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
  /** How long the runtime may take to tell whether it has an image; a pull takes as long as it takes. Default: 2 min, as a kubelet's `runtimeRequestTimeout`. */
  readonly imageStatusTimeoutMs?: number;
}

/** The outcome of a pull. */
export interface PulledImage {
  /** What the runtime calls the image, to create containers with. */
  readonly imageRef: string;
  /** How long the runtime took, without the wait for a turn. */
  readonly durationMs: number;
  /** `0` when the runtime does not tell. */
  readonly sizeBytes: number;
  /** Which of the credentials succeeded; `undefined` for a pull without any. */
  readonly credentialIndex: number | undefined;
}

/** Pulls images through the runtime, each at its turn. */
export interface ImagePuller extends AsyncDisposable {
  /**
   * Pulls `image`, the one of the request with its default tag, with the first of the credentials that succeeds, or without any if there are none.
   * Rejects with what the runtime answers, without the credentials if it repeats them, or when the request's signal aborts.
   */
  pull(request: ImageRequest, image: string, credentials: readonly PullCredential[]): Promise<PulledImage>;
  readonly pulls$: Observable<readonly ImagePull[]>;
}

/** Default of {@link ImagePullerOptions.imageStatusTimeoutMs}. */
export const DEFAULT_STATUS_TIMEOUT_MS = 120_000;

/** Creates an {@link ImagePuller}. @throws RangeError when the options contradict each other. */
export function createImagePuller(
  images: Pick<ImageService, 'imageStatus' | 'pullImage'>,
  clock: Clock,
  metrics: ImageMetrics,
  options: ImagePullerOptions,
): ImagePuller {
  const queue = createPullQueue<PulledImage>(clock, maxParallelPulls(options));
  const { registryPullQps = 5, registryPullBurst = 10, imageStatusTimeoutMs = DEFAULT_STATUS_TIMEOUT_MS } = options;
  const limiter = createRateLimiter(clock, registryPullQps, registryPullBurst);

  const callRuntime = async (
    request: ImageRequest,
    image: string,
    credentials: readonly PullCredential[],
    signal: AbortSignal,
  ): Promise<PulledImage> => {
    if (!limiter.tryAcquire()) throw new Error('pull QPS exceeded');
    const spec = requestedImageSpec(request, image);
    const startMs = clock.monotonicNow();
    const pullWith = async (credential: PullCredential | undefined): Promise<string> => {
      // A pull takes as long as it takes: it ends early only when nobody waits for it any more.
      const { imageRef } = await images.pullImage(
        {
          image: spec,
          ...(credential && { auth: authConfig(credential.auth) }),
          ...(request.sandboxConfig && { sandboxConfig: request.sandboxConfig }),
        },
        { signal, timeoutMs: Infinity },
      );
      if (imageRef === '') throw new Error(`imageRef of image ${goQuote(image)} is not set`);
      return imageRef;
    };
    const pullWithAny = async (): Promise<Pick<PulledImage, 'imageRef' | 'credentialIndex'>> => {
      if (credentials.length === 0) return { imageRef: await pullWith(undefined), credentialIndex: undefined };
      const errors: unknown[] = [];
      for (const [credentialIndex, credential] of credentials.entries()) {
        try {
          return { imageRef: await pullWith(credential), credentialIndex };
        } catch (error) {
          signal.throwIfAborted();
          // The runtime may still be at it: another pull beside it would help nobody.
          if (isUnknownOutcome(error)) throw combinePullErrors([error], credentials);
          errors.push(error);
        }
      }
      throw combinePullErrors(errors, credentials);
    };

    const pulled = await pullWithAny();
    const durationMs = clock.monotonicNow() - startMs;
    // The size is only told to people; a pull does not fail for want of it.
    const found = await withDeadline(clock, imageStatusTimeoutMs, signal, (callSignal) =>
      images.imageStatus({ image: spec }, { signal: callSignal, timeoutMs: imageStatusTimeoutMs }),
    ).catch(() => undefined);
    const sizeBytes = Number(found?.image?.size ?? 0n);
    metrics.pulled(durationMs, sizeBytes);
    return { ...pulled, durationMs, sizeBytes };
  };

  return {
    pull: (request, image, credentials) =>
      queue.pull(
        {
          key: JSON.stringify([image, request.runtimeHandler ?? '', digestCredentials(credentials)]),
          image,
          run: (signal) => callRuntime(request, image, credentials, signal),
        },
        request.signal,
      ),
    pulls$: queue.pulls$,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

/** Field by field: a spread copies nothing of an auth config that hides what it holds. */
function authConfig({
  username,
  password,
  auth,
  serverAddress,
  identityToken,
  registryToken,
}: RegistryAuth): RegistryAuth {
  return { username, password, auth, serverAddress, identityToken, registryToken };
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
