import type { ImagePulls, PullCredential, RegistryAuth } from '@rxlet/agent-api/images';
import { type Clock, createRateLimiter, type Logger, withDeadline } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { Image, ImageService } from '@rxlet/cri-api';
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { podUid } from '@rxlet/pod-model';
import { followPullProgress } from './follow-pull-progress.ts';
import type { ImageMetrics } from './image-metrics.ts';
import { type ImageRequest, requestedImageSpec, type RequestedImageSpec } from './image-request.ts';
import { digestCredentials } from './pull-credentials-digest.ts';
import { combinePullErrors, isUnknownOutcome } from './pull-failure.ts';
import { createPullQueue } from './pull-queue.ts';

/** Named and defaulted as in KubeletConfiguration. */
export interface ImagePullerOptions {
  /** One pull at a time. Default: true. */
  readonly serializeImagePulls?: boolean;
  /** Maximum number of pulls at a time when they are not serialized; at least 1. Default: no limit. */
  readonly maxParallelImagePulls?: number;
  /** Maximum number of pulls that start per second; further ones fail at once. `0`: no limit. Default: 5. */
  readonly registryPullQps?: number;
  /** Maximum number of pulls that start at once within `registryPullQps`. Default: 10. */
  readonly registryPullBurst?: number;
  /**
   * Timeout of ImageStatus; a pull has none. Default: 2 min, as a kubelet's `runtimeRequestTimeout`. At the turn of a pull, at most 10 s, since the pulls after it
   * wait.
   */
  readonly imageStatusTimeoutMs?: number;
}

/** Outcome of a pull: the image was pulled, or is present by now, so that nothing was pulled and no quota used. */
export type PullOutcome = PulledImage | { readonly kind: 'present'; readonly image: Image };

/** A pulled image. */
export interface PulledImage {
  readonly kind: 'pulled';
  /** Reference of the image in the runtime, to create containers with. */
  readonly imageRef: string;
  /** Duration of the pull, without the wait for its turn. */
  readonly durationMs: number;
  /** `0` if the runtime does not report it. */
  readonly sizeBytes: number;
  /** Index of the credential that succeeded; `undefined` for a pull without any. */
  readonly credentialIndex: number | undefined;
}

/** Pulls images through the runtime, each at its turn. */
export interface ImagePuller extends ImagePulls, AsyncDisposable {
  /**
   * Pulls `image`, the one of the request with its default tag, with the first of the credentials that succeeds, or without any if there are none.
   * Unless `mustPull` is set, it looks up the image again at its turn. Equal requests share an outcome, so that even one with `mustPull` may get
   * `present`. Rejects with the runtime's error, without the credentials if it repeats them, or when the request's signal aborts.
   */
  pull(
    request: ImageRequest,
    image: string,
    credentials: readonly PullCredential[],
    options: { readonly mustPull: boolean },
  ): Promise<PullOutcome>;
}

/** Default of {@link ImagePullerOptions.imageStatusTimeoutMs}. */
export const DEFAULT_STATUS_TIMEOUT_MS = 120_000;
/** Longest look-up of an image at the turn of its pull. All queued pulls wait for it, and a pull succeeds without its answer. */
const TURN_STATUS_TIMEOUT_MS = 10_000;

interface PullTask {
  readonly request: ImageRequest;
  readonly credentials: readonly PullCredential[];
  readonly mustPull: boolean;
}

/** Ports of {@link createImagePuller}. */
export interface ImagePullerPorts {
  readonly images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ImageMetrics;
  /** Default: the runtime reports no progress. */
  readonly pullProgress?: PullProgressSource | undefined;
}

/** Creates an {@link ImagePuller}. @throws RangeError when the options contradict each other. */
export function createImagePuller(ports: ImagePullerPorts, options: ImagePullerOptions): ImagePuller {
  const { images, clock, logger, metrics, pullProgress: source } = ports;
  const maxParallelImagePulls = maxParallelPulls(options);
  const queue = createPullQueue<PullOutcome>(clock, maxParallelImagePulls);
  const progress = source && followPullProgress({ clock, logger, source, queue });
  const { registryPullQps = 5, registryPullBurst = 10, imageStatusTimeoutMs = DEFAULT_STATUS_TIMEOUT_MS } = options;
  const timeoutMs = Math.min(imageStatusTimeoutMs, TURN_STATUS_TIMEOUT_MS);
  const limiter = createRateLimiter(clock, registryPullQps, registryPullBurst);

  const findImage = async (spec: RequestedImageSpec, signal: AbortSignal): Promise<Image | undefined> => {
    const { image } = await withDeadline(clock, timeoutMs, signal, (callSignal) =>
      images.imageStatus({ image: spec }, { signal: callSignal, timeoutMs }),
    );
    return image === undefined || image.id === '' ? undefined : image;
  };

  const pullUnlessPresent = async (spec: RequestedImageSpec, pull: PullTask, signal: AbortSignal) => {
    // An earlier pull may have pulled the image while this one waited for its turn. If the look-up fails, the pull continues.
    const found = pull.mustPull ? undefined : await findImage(spec, signal).catch(() => undefined);
    signal.throwIfAborted();
    return found === undefined ? callRuntime(spec, pull, signal) : { kind: 'present' as const, image: found };
  };

  const callRuntime = async (
    spec: RequestedImageSpec,
    { request, credentials }: PullTask,
    signal: AbortSignal,
  ): Promise<PulledImage> => {
    if (!limiter.tryAcquire()) throw new Error('pull QPS exceeded');
    const { image } = spec;
    const startMs = clock.monotonicNow();
    const pullWith = async (credential: PullCredential | undefined): Promise<string> => {
      // No timeout: a pull ends early only when no request waits for it.
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
          // The runtime may still be pulling, so another pull would be a second one beside it.
          if (isUnknownOutcome(error)) throw combinePullErrors([error], credentials);
          errors.push(error);
        }
      }
      throw combinePullErrors(errors, credentials);
    };

    const pulled = await pullWithAny();
    const durationMs = clock.monotonicNow() - startMs;
    // The size is only for events and metrics; a pull does not fail without it.
    const found = await findImage(spec, signal).catch(() => undefined);
    const sizeBytes = Number(found?.size ?? 0n);
    metrics.pulled(durationMs, sizeBytes);
    return { kind: 'pulled', ...pulled, durationMs, sizeBytes };
  };

  return {
    pull: (request, image, credentials, { mustPull }) =>
      queue.pull(
        {
          key: JSON.stringify([image, request.runtimeHandler ?? '', digestCredentials(credentials)]),
          image,
          request: { podUid: podUid(request.pod), fieldPath: request.fieldPath },
          run: (signal) =>
            pullUnlessPresent(requestedImageSpec(request, image), { request, credentials, mustPull }, signal),
        },
        request.signal,
      ),
    pulls: queue.pulls,
    serializeImagePulls: options.serializeImagePulls ?? true,
    maxParallelImagePulls,
    async [Symbol.asyncDispose]() {
      await progress?.[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** Copies field by field, as the fields of a hidden auth config are not enumerable. */
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
