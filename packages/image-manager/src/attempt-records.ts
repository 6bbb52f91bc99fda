import type { CredentialOrigin } from '@rxlet/agent-api/images';
import { type Clock, errorMessage, type Lifetime, withDeadline } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { Image } from '@rxlet/cri-api';
import type { ImageAttempt } from './image-attempt.ts';
import { ImageError } from './image-error.ts';
import { isUnknownOutcome } from './pull-failure.ts';
import type { PullRecords } from './records/pull-records.ts';

/** Ports of {@link createAttemptRecords}. */
export interface AttemptRecordsPorts {
  /** Absent: nothing is recorded, and every pod may use an image that is present. */
  readonly records: PullRecords | undefined;
  readonly clock: Clock;
  readonly lifetime: Lifetime;
  /** Returns an image of the runtime. */
  readonly findImage: (spec: { readonly image: string }, signal: AbortSignal) => Promise<Image | undefined>;
}

/** The pull records, as one attempt uses them: its cancellation ends the wait for the disk, never the write. */
export interface AttemptRecords {
  /** Completes the records of an earlier run, concurrently with the first requests. Until then some pods pull needlessly. */
  reconcileOnce(): void;
  /** Reports whether the pod may use an image that is present. */
  isAccessible(attempt: ImageAttempt, imageRef: string): Promise<boolean>;
  /** Records that a pull is about to begin. @throws ImageError when that cannot be recorded */
  intend(attempt: ImageAttempt): Promise<void>;
  /** Records that the pull failed, or that its outcome is unknown. */
  failed(attempt: ImageAttempt, error: unknown): Promise<void>;
  /** Records that the image was present and nothing was pulled. */
  notPulled(attempt: ImageAttempt): Promise<void>;
  /** Records the pulled image and the origin of the credentials; without one, it was pulled anonymously. */
  pulled(attempt: ImageAttempt, imageRef: string, origin: CredentialOrigin | undefined): Promise<void>;
}

/** Creates {@link AttemptRecords}. */
export function createAttemptRecords({ records, clock, lifetime, findImage }: AttemptRecordsPorts): AttemptRecords {
  let reconciliation: Promise<void> | undefined;
  const whileRequested = <T>({ request }: ImageAttempt, work: Promise<T>): Promise<T> => {
    void lifetime.track(work).catch(() => undefined);
    return withDeadline(clock, Infinity, request.signal, () => work);
  };
  const ended = (attempt: ImageAttempt, end: 'failed' | 'unknown'): Promise<void> =>
    whileRequested(attempt, records?.ended(attempt.image, end) ?? Promise.resolve());

  return {
    reconcileOnce() {
      if (records === undefined || reconciliation !== undefined) return;
      reconciliation = lifetime.track(
        records.reconcile(async (image) => (await findImage({ image }, lifetime.signal))?.id ?? ''),
      );
      reconciliation.catch(() => undefined);
    },
    async isAccessible({ request, image, credentials }, imageRef) {
      if (records === undefined) return true;
      const origins = async () => (await credentials()).map(({ origin }) => origin);
      return withDeadline(
        clock,
        Infinity,
        request.signal,
        async () => !(await records.mustPull(image, imageRef, origins)),
      );
    },
    async intend(attempt) {
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
    },
    failed: (attempt, error) =>
      ended(attempt, attempt.request.signal.aborted || isUnknownOutcome(error) ? 'unknown' : 'failed'),
    notPulled: (attempt) => ended(attempt, 'failed'),
    async pulled(attempt, imageRef, origin) {
      if (records !== undefined) await whileRequested(attempt, records.pulled(attempt.image, imageRef, origin));
    },
  };
}
