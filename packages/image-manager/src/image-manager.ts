import type { Observable } from 'rxjs';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventRecorder,
  type EventType,
  formatGoDuration,
  type Logger,
  type Metrics,
  noopLogger,
} from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import { decideImage } from './decide-image.ts';
import { ImageError, type ImageErrorReason } from './image-error.ts';
import { createImageMetrics } from './image-metrics.ts';
import { createImagePuller, type ImagePullerOptions } from './image-puller.ts';
import { applyDefaultTag } from './image-reference.ts';
import { type ImageRequest, requestedImageSpec } from './image-request.ts';
import { createPullBackoff, type PullBackoffOptions } from './pull-backoff.ts';
import { classifyPullFailure, runtimeMessage } from './pull-failure.ts';
import type { ImagePull } from './pull-queue.ts';

/** What an image manager needs. */
export interface ImageManagerPorts {
  readonly images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Options of {@link createImageManager}. */
export interface ImageManagerOptions extends ImagePullerOptions, PullBackoffOptions {}

/** Makes sure that the images of containers are on the node. It works when asked; nothing runs in between. */
export interface ImageManager extends AsyncDisposable {
  /**
   * Resolves when the image may be used, with the reference to create the container with: the image's id, or what the runtime returned for the
   * pull. What happens is recorded as events on the pod, in the kubelet's words.
   *
   * Rejects with {@link ImageError}; or with the reason of the request's signal, or with `LifetimeEnded` after disposal.
   */
  ensureImageExists(request: ImageRequest): Promise<{ readonly imageRef: string }>;
  /**
   * The pulls in hand in order of arrival, those that wait for their turn included. Replays the current list, emits after each change, and completes
   * on disposal.
   */
  readonly pulls$: Observable<readonly ImagePull[]>;
}

/** Creates an {@link ImageManager}. @throws RangeError when the options contradict each other. */
export function createImageManager(ports: ImageManagerPorts, options: ImageManagerOptions = {}): ImageManager {
  const { images, clock, events, logger = noopLogger } = ports;
  const lifetime = createLifetime();
  const metrics = createImageMetrics(ports.metrics);
  const puller = createImagePuller(images, clock, metrics, options);
  const backoff = createPullBackoff(clock, options);
  lifetime.defer(() => puller[Symbol.asyncDispose]());

  const record = (request: ImageRequest, type: EventType, reason: string, message: string): void => {
    events.event(podEventObject(request.pod, request.fieldPath), type, reason, message);
    logger.debug(message, { pod: formatPod(request.pod), reason });
  };
  /** The event and the error of a request that cannot be met. */
  const refusal = (request: ImageRequest, reason: ImageErrorReason, message: string, cause?: unknown): ImageError => {
    record(request, 'Warning', reason === 'ErrImageNeverPull' ? reason : 'InspectFailed', message);
    return new ImageError(reason, message, { cause });
  };

  const resolveName = (request: ImageRequest): string => {
    try {
      return applyDefaultTag(request.image);
    } catch (error) {
      const quoted = JSON.stringify(request.image);
      const cause = `couldn't parse image name ${quoted}: ${errorMessage(error)}`;
      throw refusal(request, 'InvalidImageName', `Failed to apply default image tag ${quoted}: ${cause}`, error);
    }
  };

  /** The id of the image; empty when the runtime does not have it. */
  const lookUp = async (request: ImageRequest, image: string): Promise<string> => {
    const spec = requestedImageSpec(request, image);
    try {
      return (await images.imageStatus({ image: spec }, { signal: request.signal })).image?.id ?? '';
    } catch (error) {
      request.signal?.throwIfAborted();
      const message = `Failed to inspect image ${JSON.stringify(request.image)}: ${runtimeMessage(error)}`;
      throw refusal(request, 'ImageInspectError', message, error);
    }
  };

  const pull = async (request: ImageRequest, image: string): Promise<string> => {
    const quoted = JSON.stringify(request.image);
    const backoffKey = `${request.pod.metadata?.uid ?? ''}_${request.image}`;
    const blocked = backoff.blocked(backoffKey);
    if (blocked !== undefined) {
      const message = `Back-off pulling image ${quoted}`;
      record(request, 'Normal', 'BackOff', message);
      throw new ImageError('ImagePullBackOff', `${message}: ${blocked.lastFailure}`, {
        backoffUntilMs: blocked.untilMs,
      });
    }
    record(request, 'Normal', 'Pulling', `Pulling image ${quoted}`);
    const startMs = clock.monotonicNow();
    try {
      const { imageRef, durationMs, sizeBytes } = await puller.pull(request, image);
      const took = formatGoDuration(durationMs);
      const tookInAll = formatGoDuration(clock.monotonicNow() - startMs);
      const message = `Successfully pulled image ${quoted} in ${took} (${tookInAll} including waiting). Image size: ${String(sizeBytes)} bytes.`;
      record(request, 'Normal', 'Pulled', message);
      return imageRef;
    } catch (error) {
      request.signal?.throwIfAborted();
      record(request, 'Warning', 'Failed', `Failed to pull image ${quoted}: ${runtimeMessage(error)}`);
      const { reason, message } = classifyPullFailure(request.image, error);
      const backoffUntilMs = backoff.failed(backoffKey, `${reason}: ${message}`);
      throw new ImageError(reason, message, { backoffUntilMs, cause: error });
    }
  };

  const ensure = async (request: ImageRequest): Promise<{ imageRef: string }> => {
    let present: boolean | undefined;
    let pullRequired: boolean | undefined;
    try {
      const image = resolveName(request);
      let step = decideImage(request.pullPolicy, 'not-looked-up');
      let imageRef = '';
      if (step === 'look-up') {
        imageRef = await lookUp(request, image);
        present = imageRef !== '';
        step = decideImage(request.pullPolicy, present ? 'present' : 'absent');
      }
      pullRequired = step === 'pull';
      if (pullRequired) return { imageRef: await pull(request, image) };
      const quoted = JSON.stringify(request.image);
      if (step === 'refuse') {
        throw refusal(
          request,
          'ErrImageNeverPull',
          `Container image ${quoted} is not present with pull policy of Never`,
        );
      }
      const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
      record(request, 'Normal', 'Pulled', message);
      return { imageRef };
    } finally {
      metrics.request(request.pullPolicy, present, pullRequired);
    }
  };

  return {
    async ensureImageExists(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, lifetime.signal]) : lifetime.signal;
      signal.throwIfAborted();
      return lifetime.track(ensure({ ...request, signal }));
    },
    pulls$: puller.pulls$,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
