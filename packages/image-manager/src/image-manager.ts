import type {
  CredentialSource,
  EnsuredImage,
  ImageEnsurer,
  ImageFailureReason,
  ImagePulls,
  PullCredential,
  PullObserver,
} from '@rxlet/agent-api/images';
import { failedOutcome, inSpan, type Journal, noopJournal, type SpanStart } from '@rxlet/agent-api/journal';
import { type Clock, createLifetime, errorMessage, type Logger, noopLogger, withDeadline } from '@rxlet/component-base';
import type { EventRecorder, EventType } from '@rxlet/component-base/events';
import { formatGoDuration, goQuote } from '@rxlet/component-base/go';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Image, ImageService } from '@rxlet/cri-api';
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { formatPod, podEventObject, podUid } from '@rxlet/pod-model';
import { decideImage } from './decide-image.ts';
import { createAttemptRecords } from './attempt-records.ts';
import type { ImageAttempt } from './image-attempt.ts';
import { ImageError } from './image-error.ts';
import { createImageHolds, type ImageHolds } from './image-holds.ts';
import { createImageMetrics } from './image-metrics.ts';
import {
  createImagePuller,
  DEFAULT_STATUS_TIMEOUT_MS,
  type ImagePullerOptions,
  type PulledImage,
  type PullOutcome,
} from './image-puller.ts';
import { applyDefaultTag, repositoryOf } from './image-reference.ts';
import { type ImageRequest, requestedImageSpec } from './image-request.ts';
import { journalPull } from './journal-pull.ts';
import { createPullBackoff, type PullBackoffOptions } from './pull-backoff.ts';
import { digestCredentials } from './pull-credentials-digest.ts';
import { classifyPullFailure, pullErrorText, runtimeErrorText } from './pull-failure.ts';
import type { PullRecords } from './records/pull-records.ts';

/** Ports of {@link createImageManager}. */
export interface ImageManagerPorts {
  readonly images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Default: nothing is recorded. */
  readonly journal?: Journal | undefined;
  /** Default: every pull is anonymous. */
  readonly credentials?: CredentialSource | undefined;
  /** Records of the credentials that pulled each image. Default: none, so that every pod may use an image that is present. */
  readonly records?: PullRecords | undefined;
  /** Holds shared with a garbage collector, so that it keeps the images that are about to be used. Default: there is no collector. */
  readonly holds?: ImageHolds | undefined;
  /** Observer of the pulls, so that a pod's start can be measured without them. Default: none. */
  readonly pullObserver?: PullObserver | undefined;
  /** Progress of pulls in the runtime, for {@link ImageManager.pulls}. Default: the runtime reports none. */
  readonly pullProgress?: PullProgressSource | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createImageManager}. */
export interface ImageManagerOptions extends ImagePullerOptions, PullBackoffOptions {}

/** Makes sure that the images of containers are on the node. Nothing runs between requests. */
export interface ImageManager extends ImageEnsurer, ImagePulls, AsyncDisposable {
  /**
   * Resolves when the pod may use the image. Records events on the pod, in the kubelet's words.
   * @throws ImageError; the reason of the request's signal when it aborts; `LifetimeEnded` after disposal
   */
  ensureImageExists(request: ImageRequest): Promise<EnsuredImage>;
}

/**
 * Creates an {@link ImageManager}. @throws RangeError when the options contradict each other.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createEventLog } from '@rxlet/component-base/events';
 * import { createImageManager } from '@rxlet/image-manager';
 * import { createTestImages } from '@rxlet/image-manager/testing';
 *
 * const images = createTestImages(systemClock);
 * await using manager = createImageManager({ images, clock: systemClock, events: createEventLog(systemClock) });
 * const pod = { metadata: { name: 'web', namespace: 'default', uid: '1' } };
 * const fieldPath = 'spec.containers{web}';
 * await manager.ensureImageExists({ pod, fieldPath, image: 'nginx', pullPolicy: 'IfNotPresent' });
 * ```
 */
export function createImageManager(ports: ImageManagerPorts, options: ImageManagerOptions = {}): ImageManager {
  const {
    images,
    clock,
    events,
    journal = noopJournal,
    credentials,
    records,
    holds = createImageHolds(clock),
    pullObserver,
    logger = noopLogger,
  } = ports;
  const { imageStatusTimeoutMs = DEFAULT_STATUS_TIMEOUT_MS } = options;
  const lifetime = createLifetime();
  const metrics = createImageMetrics(ports.metrics);
  const puller = createImagePuller({ images, clock, logger, metrics, pullProgress: ports.pullProgress }, options);
  const backoff = createPullBackoff(clock, options);
  lifetime.defer(() => puller[Symbol.asyncDispose]());

  const record = (request: ImageRequest, type: EventType, reason: string, message: string): void => {
    events.event(podEventObject(request.pod, request.fieldPath), type, reason, message);
    logger.debug(message, { pod: formatPod(request.pod), reason });
  };
  /** Records the event of a request that cannot be met. @returns its error */
  const rejection = (
    request: ImageRequest,
    reason: ImageFailureReason,
    message: string,
    cause?: unknown,
  ): ImageError => {
    record(request, 'Warning', reason === 'ErrImageNeverPull' ? reason : 'InspectFailed', message);
    const outcome = { ...failedOutcome(cause), result: 'failed', reason, message } as const;
    journal.record(request.pod.metadata, { kind: 'image.rejected', ...spanOf(request), outcome });
    return new ImageError(reason, message, { cause });
  };

  const resolveName = (request: ImageRequest): string => {
    try {
      return applyDefaultTag(request.image);
    } catch (error) {
      const quoted = goQuote(request.image);
      const cause = `couldn't parse image name ${quoted}: ${errorMessage(error)}`;
      throw rejection(request, 'InvalidImageName', `Failed to apply default image tag ${quoted}: ${cause}`, error);
    }
  };

  /** Returns the image; `undefined` if the runtime does not have it. */
  const findImage = async (spec: { readonly image: string }, signal: AbortSignal): Promise<Image | undefined> => {
    const { image } = await withDeadline(clock, imageStatusTimeoutMs, signal, (callSignal) =>
      images.imageStatus({ image: spec }, { signal: callSignal, timeoutMs: imageStatusTimeoutMs }),
    );
    return image === undefined || image.id === '' ? undefined : image;
  };
  const pullRecords = createAttemptRecords({ records, clock, lifetime, findImage });
  const lookUp = async ({ request, image, quoted }: ImageAttempt): Promise<Image | undefined> => {
    try {
      return await findImage(requestedImageSpec(request, image), request.signal);
    } catch (error) {
      request.signal.throwIfAborted();
      const message = `Failed to inspect image ${quoted}: ${runtimeErrorText(error)}`;
      throw rejection(request, 'ImageInspectError', message, error);
    }
  };

  const podCredentials = async (attempt: ImageAttempt): Promise<readonly PullCredential[]> => {
    try {
      const span = { kind: 'image.credentials', ...spanOf(attempt.request), isQuiet: true } as const;
      const { pod, signal } = attempt.request;
      return await inSpan(journal, pod.metadata, span, () => attempt.credentials(), signal);
    } catch (error) {
      attempt.request.signal.throwIfAborted();
      // This is not a failed pull, so there is no back-off: the next sync of the pod reads the credentials again.
      throw new ImageError('ErrImagePull', errorMessage(error), { cause: error });
    }
  };
  const rejectEarlyPull = (
    { request, quoted }: ImageAttempt,
    key: string,
    digest: ReturnType<typeof digestCredentials>,
  ): void => {
    const blocked = backoff.blocked(key, digest);
    if (blocked === undefined) return;
    const message = `Back-off pulling image ${quoted}`;
    record(request, 'Normal', 'BackOff', message);
    const attributes = { untilMs: Math.round(blocked.untilMs), message: blocked.lastFailure };
    journal.hold(request.pod.metadata, { kind: 'image.backoff', ...spanOf(request), attributes });
    throw new ImageError('ImagePullBackOff', `${message}: ${blocked.lastFailure}`, { backoffUntilMs: blocked.untilMs });
  };
  /** Pulls the image. Unless `mustPull` is set, it uses an image that was pulled meanwhile if the pod may. */
  const pull = async (attempt: ImageAttempt, mustPull: boolean): Promise<EnsuredImage> => {
    const { request, quoted } = attempt;
    const ofPod = await podCredentials(attempt);
    const digest = digestCredentials(ofPod);
    const backoffKey = `${podUid(request.pod)}_${request.image}`;
    rejectEarlyPull(attempt, backoffKey, digest);
    await pullRecords.intend(attempt);
    record(request, 'Normal', 'Pulling', `Pulling image ${quoted}`);
    const startMs = clock.monotonicNow();
    const uid = podUid(request.pod);
    let outcome: PullOutcome;
    pullObserver?.imagePullStarted(uid);
    journal.release(request.pod.metadata, { kind: 'image.backoff', ...spanOf(request) });
    const endSpan = journalPull({ journal, pulls: puller.pulls, logger }, request, attempt.image);
    try {
      outcome = await pullInTurn(attempt, ofPod, mustPull).finally(() => pullObserver?.imagePullFinished(uid));
      endSpan();
    } catch (error) {
      const { signal } = request;
      const classified = classifyPullFailure(request.image, error);
      endSpan(signal.aborted ? { result: 'cancelled' } : { ...failedOutcome(error), ...classified });
      await pullRecords.failed(attempt, error);
      record(request, 'Warning', 'Failed', `Failed to pull image ${quoted}: ${pullErrorText(error)}`);
      const { reason, message } = classified;
      const backoffUntilMs = backoff.failed(backoffKey, `${reason}: ${message}`, digest);
      const attributes = { untilMs: Math.round(backoffUntilMs), message };
      if (!signal.aborted)
        journal.hold(request.pod.metadata, { kind: 'image.backoff', ...spanOf(request), attributes });
      throw new ImageError(reason, message, { backoffUntilMs, cause: error });
    }
    if (outcome.kind === 'present') {
      await pullRecords.notPulled(attempt);
      return usePresent(attempt, outcome.image);
    }
    await recordPulled(attempt, outcome, ofPod, startMs);
    return { imageRef: outcome.imageRef };
  };
  const pullInTurn = async (
    attempt: ImageAttempt,
    ofPod: readonly PullCredential[],
    mustPull: boolean,
  ): Promise<PullOutcome> => {
    const { request, image } = attempt;
    const outcome = await puller.pull(request, image, ofPod, { mustPull });
    if (outcome.kind === 'pulled' || (!mustPull && (await pullRecords.isAccessible(attempt, outcome.image.id))))
      return outcome;
    return pullInTurn(attempt, ofPod, true);
  };
  const recordPulled = async (
    attempt: ImageAttempt,
    { imageRef, durationMs, sizeBytes, credentialIndex }: PulledImage,
    ofPod: readonly PullCredential[],
    startMs: number,
  ): Promise<void> => {
    const { request, quoted } = attempt;
    const took = formatGoDuration(durationMs);
    const tookInAll = formatGoDuration(clock.monotonicNow() - startMs);
    const message = `Successfully pulled image ${quoted} in ${took} (${tookInAll} including waiting). Image size: ${String(sizeBytes)} bytes.`;
    record(request, 'Normal', 'Pulled', message);
    // Equal credentials may come from different secrets: each pod is recorded with its own.
    const origin = credentialIndex === undefined ? undefined : ofPod[credentialIndex]!.origin;
    await pullRecords.pulled(attempt, imageRef, origin);
  };
  const usePresent = ({ request, quoted }: ImageAttempt, found: Image | undefined): EnsuredImage => {
    const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
    record(request, 'Normal', 'Pulled', message);
    journal.release(request.pod.metadata, { kind: 'image.backoff', ...spanOf(request) });
    journal.record(request.pod.metadata, { kind: 'image.present', ...spanOf(request) });
    return { imageRef: found?.id ?? '', user: found && { uid: found.uid, username: found.username } };
  };

  const begin = (request: ImageAttempt['request']): ImageAttempt => {
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
            : credentials.credentialsFor({ pod, repository: repositoryOf(image), signal: callSignal }),
        );
        return found;
      },
    };
  };

  const ensure = async (request: ImageAttempt['request']): Promise<EnsuredImage> => {
    let present: boolean | undefined;
    let pullRequired: boolean | undefined;
    try {
      const attempt = begin(request);
      const { image, quoted } = attempt;
      pullRecords.reconcileOnce();
      using _ = await holds.hold(image, request.signal);
      let step = decideImage(request.pullPolicy, 'not-looked-up');
      let found: Image | undefined;
      if (step === 'look-up') {
        found = await lookUp(attempt);
        present = found !== undefined;
        const accessible = found !== undefined && (await pullRecords.isAccessible(attempt, found.id));
        step = decideImage(request.pullPolicy, accessible ? 'present' : present ? 'not-accessible' : 'absent');
      }
      pullRequired = step === 'pull';
      if (pullRequired) return await pull(attempt, present !== false);
      if (step === 'reject') {
        const message = `Container image ${quoted} is not present with pull policy of Never`;
        throw rejection(request, 'ErrImageNeverPull', message);
      }
      return usePresent(attempt, found);
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
    pulls: puller.pulls,
    serializeImagePulls: puller.serializeImagePulls,
    maxParallelImagePulls: puller.maxParallelImagePulls,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Returns the container and the image of a request, for the journal. */
function spanOf({ container, image }: ImageRequest): Pick<SpanStart, 'container' | 'subject'> {
  return { ...(container && { container }), subject: image };
}
