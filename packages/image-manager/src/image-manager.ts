import type { Observable } from 'rxjs';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventRecorder,
  type EventType,
  formatGoDuration,
  goQuote,
  type Logger,
  type Metrics,
  noopLogger,
  withDeadline,
} from '@rxlet/component-base';
import type { Image, ImageService } from '@rxlet/cri-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import type { CredentialSource, PullCredential } from './credentials/pull-credential.ts';
import { decideImage } from './decide-image.ts';
import { ImageError, type ImageErrorReason } from './image-error.ts';
import { createImageHolds, type ImageHolds } from './image-holds.ts';
import { createImageMetrics } from './image-metrics.ts';
import {
  createImagePuller,
  DEFAULT_STATUS_TIMEOUT_MS,
  type ImagePullerOptions,
  type PulledImage,
} from './image-puller.ts';
import { applyDefaultTag } from './image-reference.ts';
import { type ImageRequest, requestedImageSpec } from './image-request.ts';
import { createPullBackoff, type PullBackoffOptions } from './pull-backoff.ts';
import { digestCredentials } from './pull-credentials-digest.ts';
import { classifyPullFailure, isUnknownOutcome, pullErrorText, runtimeErrorText } from './pull-failure.ts';
import type { ImagePull } from './pull-queue.ts';
import type { PullRecords } from './records/pull-records.ts';

/** What an image manager needs. */
export interface ImageManagerPorts {
  readonly images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Default: every pull is anonymous. */
  readonly credentials?: CredentialSource | undefined;
  /** Who pulled what. Default: it is not recorded, and an image that is there may be used by every pod. */
  readonly records?: PullRecords | undefined;
  /** Shared with a garbage collector, which then spares the images that are about to be used. Default: there is none. */
  readonly holds?: ImageHolds | undefined;
  /** Told when a pull on behalf of a pod begins and ends, so that a pod's start can be measured without it. Default: nobody. */
  readonly pullObserver?: PullObserver | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Told of the pulls of pods' images; several of one pod may overlap. */
export interface PullObserver {
  imagePullStarted(podUid: string): void;
  imagePullFinished(podUid: string): void;
}

/** Options of {@link createImageManager}. */
export interface ImageManagerOptions extends ImagePullerOptions, PullBackoffOptions {}

/** An image that may be used. */
export interface EnsuredImage {
  /** To create the container with: the image's id, or what the runtime returned for the pull. */
  readonly imageRef: string;
  /** What the runtime said of it, where it was there already. */
  readonly user?: Pick<Image, 'uid' | 'username'> | undefined;
}

/** Makes sure that the images of containers are on the node. It works when asked; nothing runs in between. */
export interface ImageManager extends AsyncDisposable {
  /**
   * Resolves when the image may be used, with the reference to create the container with: the image's id, or what the runtime returned for the
   * pull. What happens is recorded as events on the pod, in the kubelet's words.
   *
   * Rejects with {@link ImageError}; or with the reason of the request's signal, or with `LifetimeEnded` after disposal.
   */
  ensureImageExists(request: ImageRequest): Promise<EnsuredImage>;
  /**
   * The pulls in hand in order of arrival, those that wait for their turn included. Replays the current list, emits after each change, and completes
   * on disposal.
   */
  readonly pulls$: Observable<readonly ImagePull[]>;
}

/** One request on its way: what was asked for, and what was found out about it. */
interface Attempt {
  readonly request: ImageRequest & { readonly signal: AbortSignal };
  /** As requested, in quotes, for messages. */
  readonly quoted: string;
  /** With its default tag. */
  readonly image: string;
  /** The pod's credentials for the image; found out once, when they are first wanted. */
  readonly credentials: () => Promise<readonly PullCredential[]>;
}

/** Creates an {@link ImageManager}. @throws RangeError when the options contradict each other. */
export function createImageManager(ports: ImageManagerPorts, options: ImageManagerOptions = {}): ImageManager {
  const {
    images,
    clock,
    events,
    credentials,
    records,
    holds = createImageHolds(clock),
    pullObserver,
    logger = noopLogger,
  } = ports;
  const { imageStatusTimeoutMs = DEFAULT_STATUS_TIMEOUT_MS } = options;
  const lifetime = createLifetime();
  const metrics = createImageMetrics(ports.metrics);
  const puller = createImagePuller(images, clock, metrics, options);
  const backoff = createPullBackoff(clock, options);
  let reconciliation: Promise<void> | undefined;
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
      const quoted = goQuote(request.image);
      const cause = `couldn't parse image name ${quoted}: ${errorMessage(error)}`;
      throw refusal(request, 'InvalidImageName', `Failed to apply default image tag ${quoted}: ${cause}`, error);
    }
  };

  /** The image; `undefined` when the runtime does not have it. */
  const findImage = async (spec: { readonly image: string }, signal: AbortSignal): Promise<Image | undefined> => {
    const { image } = await withDeadline(clock, imageStatusTimeoutMs, signal, (callSignal) =>
      images.imageStatus({ image: spec }, { signal: callSignal, timeoutMs: imageStatusTimeoutMs }),
    );
    return image === undefined || image.id === '' ? undefined : image;
  };
  const lookUp = async ({ request, image, quoted }: Attempt): Promise<Image | undefined> => {
    try {
      return await findImage(requestedImageSpec(request, image), request.signal);
    } catch (error) {
      request.signal.throwIfAborted();
      const message = `Failed to inspect image ${quoted}: ${runtimeErrorText(error)}`;
      throw refusal(request, 'ImageInspectError', message, error);
    }
  };

  /** What an earlier run left is brought to an end beside the first requests: until then it only makes pods pull that need not. */
  const reconcileOnce = (): void => {
    if (records === undefined || reconciliation !== undefined) return;
    reconciliation = lifetime.track(
      records.reconcile(async (image) => (await findImage({ image }, lifetime.signal))?.id ?? ''),
    );
    reconciliation.catch(() => undefined);
  };

  /** Whether the pod may use an image that is there. */
  const isAccessible = async ({ request, image, credentials: ofPod }: Attempt, imageRef: string): Promise<boolean> => {
    if (records === undefined) return true;
    const origins = async () => (await ofPod()).map(({ origin }) => origin);
    return withDeadline(
      clock,
      Infinity,
      request.signal,
      async () => !(await records.mustPull(image, imageRef, origins)),
    );
  };

  const podCredentials = async (attempt: Attempt): Promise<readonly PullCredential[]> => {
    try {
      return await attempt.credentials();
    } catch (error) {
      attempt.request.signal.throwIfAborted();
      // Not a failed pull: it is read anew with the next request, as soon as the pod is synced again.
      throw new ImageError('ErrImagePull', errorMessage(error), { cause: error });
    }
  };
  const refuseEarlyPull = (
    { request, quoted }: Attempt,
    key: string,
    digest: ReturnType<typeof digestCredentials>,
  ): void => {
    const blocked = backoff.blocked(key, digest);
    if (blocked === undefined) return;
    const message = `Back-off pulling image ${quoted}`;
    record(request, 'Normal', 'BackOff', message);
    throw new ImageError('ImagePullBackOff', `${message}: ${blocked.lastFailure}`, { backoffUntilMs: blocked.untilMs });
  };
  /** Waits for the disk as long as the request lasts; what was begun goes on. */
  const whileRequested = <T>({ request }: Attempt, work: Promise<T>): Promise<T> => {
    void lifetime.track(work).catch(() => undefined);
    return withDeadline(clock, Infinity, request.signal, () => work);
  };
  const recordIntent = async (attempt: Attempt): Promise<void> => {
    if (records === undefined) return;
    const { request, image } = attempt;
    const intended = records.intend(image);
    try {
      await whileRequested(attempt, intended);
    } catch (error) {
      if (request.signal.aborted) {
        void lifetime.track(intended.then(() => records.ended(image, 'failed'))).catch(() => undefined);
        throw error;
      }
      const message = `Failed to record image pull intent for container image ${goQuote(image)}: ${errorMessage(error)}`;
      throw new ImageError('ErrImagePull', message, { cause: error });
    }
  };
  const recordFailure = (attempt: Attempt, error: unknown): Promise<void> => {
    const { request, image } = attempt;
    const end = request.signal.aborted || isUnknownOutcome(error) ? 'unknown' : 'failed';
    return whileRequested(attempt, records?.ended(image, end) ?? Promise.resolve());
  };

  const pull = async (attempt: Attempt): Promise<string> => {
    const { request, image, quoted } = attempt;
    const ofPod = await podCredentials(attempt);
    const digest = digestCredentials(ofPod);
    const backoffKey = `${request.pod.metadata?.uid ?? ''}_${request.image}`;
    refuseEarlyPull(attempt, backoffKey, digest);
    await recordIntent(attempt);
    record(request, 'Normal', 'Pulling', `Pulling image ${quoted}`);
    const startMs = clock.monotonicNow();
    const podUid = request.pod.metadata?.uid ?? '';
    let pulled: PulledImage;
    pullObserver?.imagePullStarted(podUid);
    try {
      pulled = await puller.pull(request, image, ofPod).finally(() => pullObserver?.imagePullFinished(podUid));
    } catch (error) {
      await recordFailure(attempt, error);
      record(request, 'Warning', 'Failed', `Failed to pull image ${quoted}: ${pullErrorText(error)}`);
      const { reason, message } = classifyPullFailure(request.image, error);
      const backoffUntilMs = backoff.failed(backoffKey, `${reason}: ${message}`, digest);
      throw new ImageError(reason, message, { backoffUntilMs, cause: error });
    }
    const { imageRef, durationMs, sizeBytes, credentialIndex } = pulled;
    const took = formatGoDuration(durationMs);
    const tookInAll = formatGoDuration(clock.monotonicNow() - startMs);
    const message = `Successfully pulled image ${quoted} in ${took} (${tookInAll} including waiting). Image size: ${String(sizeBytes)} bytes.`;
    record(request, 'Normal', 'Pulled', message);
    // Equal credentials may come from different secrets: each pod is recorded with its own.
    const origin = credentialIndex === undefined ? undefined : ofPod[credentialIndex]!.origin;
    if (records !== undefined) await whileRequested(attempt, records.pulled(image, imageRef, origin));
    return imageRef;
  };

  const begin = (request: Attempt['request']): Attempt => {
    const image = resolveName(request);
    let found: Promise<readonly PullCredential[]> | undefined;
    return {
      request,
      image,
      quoted: goQuote(request.image),
      credentials() {
        const { pod, signal } = request;
        found ??= withDeadline(clock, Infinity, signal, (callSignal) =>
          credentials === undefined
            ? Promise.resolve([])
            : credentials.credentialsFor({ pod, image, signal: callSignal }),
        );
        return found;
      },
    };
  };

  const ensure = async (request: Attempt['request']): Promise<EnsuredImage> => {
    let present: boolean | undefined;
    let pullRequired: boolean | undefined;
    try {
      const attempt = begin(request);
      const { image, quoted } = attempt;
      reconcileOnce();
      using _ = await holds.hold(image, request.signal);
      let step = decideImage(request.pullPolicy, 'not-looked-up');
      let found: Image | undefined;
      if (step === 'look-up') {
        found = await lookUp(attempt);
        present = found !== undefined;
        const accessible = found !== undefined && (await isAccessible(attempt, found.id));
        step = decideImage(request.pullPolicy, accessible ? 'present' : present ? 'not-accessible' : 'absent');
      }
      pullRequired = step === 'pull';
      if (pullRequired) return { imageRef: await pull(attempt) };
      if (step === 'refuse') {
        const message = `Container image ${quoted} is not present with pull policy of Never`;
        throw refusal(request, 'ErrImageNeverPull', message);
      }
      const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
      record(request, 'Normal', 'Pulled', message);
      return { imageRef: found?.id ?? '', user: found && { uid: found.uid, username: found.username } };
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
