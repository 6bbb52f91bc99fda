import {
  type Clock,
  createKeyedExecutor,
  errorMessage,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
} from '@rxlet/component-base';
import { canonicalImageName } from '../canonical-image-name.ts';
import type { CredentialOrigin } from '../credentials/pull-credential.ts';
import { decideVerification } from './decide-verification.ts';
import { credentialsOf, mergeCredentials } from './merge-credentials.ts';
import type { RecordDirectories } from './record-directory.ts';
import {
  formatPulledRecord,
  formatPullIntent,
  type ImagePullCredentials,
  type ImagePulledRecord,
  parsePulledRecord,
  parsePullIntent,
} from './record-format.ts';
import { createRecordStore } from './record-store.ts';
import { createVerificationPolicy, repositoryOf, type VerificationOptions } from './verification-policy.ts';

/** What pull records need. */
export interface PullRecordsPorts {
  readonly directories: RecordDirectories;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createPullRecords}. */
export interface PullRecordsOptions extends VerificationOptions {
  /** KubeletConfiguration `maxPods`: it bounds what is kept in memory. Default: 110. */
  readonly maxPods?: number | undefined;
  /** KubeletConfiguration `maxParallelImagePulls`, likewise. Default: 1. */
  readonly maxParallelImagePulls?: number | undefined;
}

/** How a pull ended that did not succeed: whether it is known that the runtime gave it up. */
export type PullEnd = 'failed' | 'unknown';

/**
 * Who pulled what, on disk: an image that was pulled with a secret is not for pods that lack it (KEP-2535). A kubelet reads these records, and its own
 * are read here. `image` is always the reference with its default tag, `imageRef` what the runtime calls the image.
 *
 * An intent is on disk before the runtime hears of the pull and leaves it once its outcome is on record, so that an image is known to be pulled by this
 * agent even if it was killed in between.
 */
export interface PullRecords {
  /** Notes that a pull begins; each is ended by one call of {@link pulled} or {@link ended}. Rejects when it cannot be written: then nothing may be pulled. */
  intend(image: string): Promise<void>;
  /** Notes who pulled the image; `origin` of the credential that succeeded, `undefined` for none. A record that cannot be written is logged, and its intent stays. */
  pulled(image: string, imageRef: string, origin: CredentialOrigin | undefined): Promise<void>;
  /** Notes that a pull did not succeed. With an unknown outcome its intent stays on disk: the image may still turn up. */
  ended(image: string, end: PullEnd): Promise<void>;
  /**
   * Whether a pod must pull an image that is there. The origins of its credentials are only asked for if they matter. Never rejects: what cannot be
   * found out has to be pulled.
   */
  mustPull(image: string, imageRef: string, origins: () => Promise<readonly CredentialOrigin[]>): Promise<boolean>;
  /**
   * What is left to do of an earlier run, once at the start: intents of images that turned up become records, and records of old versions are
   * rewritten. `find` tells the reference of an image, empty when it is not there. Never rejects: an intent that stays is safe.
   */
  reconcile(find: (image: string) => Promise<string>): Promise<void>;
  /**
   * Forgets images that are gone, given all names of those that are there: the records last written before `beforeMs` (epoch milliseconds), and intents that
   * neither a pull nor an image belongs to for the second time in a row.
   */
  prune(imageNames: ReadonlySet<string>, beforeMs: number): Promise<void>;
}

interface PullIntent {
  readonly image: string;
}

/** Creates {@link PullRecords}. @throws VerificationPolicyError */
export function createPullRecords(ports: PullRecordsPorts, options: PullRecordsOptions = {}): PullRecords {
  const { directories, clock, logger = noopLogger, metrics = noopMetrics } = ports;
  const { maxPods = 110, maxParallelImagePulls = 1 } = options;
  const requiresVerification = createVerificationPolicy(options);
  const gauges = (kind: string, what: string) => ({
    onDisk: metrics.gauge({
      name: `kubelet_imagemanager_ondisk_${kind}`,
      help: `How many ${what} are on disk.`,
    }),
    usagePercent: metrics.gauge({
      name: `kubelet_imagemanager_inmemory_${kind}_usage_percent`,
      help: `How full the memory for ${what} is.`,
    }),
  });
  const checks = metrics.counter({
    name: 'kubelet_imagemanager_image_mustpull_checks_total',
    help: 'Checks of whether a pod may use an image that is there, by their result.',
    labelNames: ['result'],
  });
  const intents = createRecordStore<PullIntent>(directories.pulling, logger, {
    keyOf: ({ image }) => image,
    parse(text) {
      const { record, isCurrent } = parsePullIntent(text);
      return { record: { image: record }, isCurrent };
    },
    format: ({ image }) => formatPullIntent(image),
    capacity: Math.min(Math.max(2 * maxPods, 2 * maxParallelImagePulls, 1), 1024),
    ...gauges('pullintents', 'intents to pull'),
  });
  const pulledImages = createRecordStore<ImagePulledRecord>(directories.pulled, logger, {
    keyOf: ({ imageRef }) => imageRef,
    parse: parsePulledRecord,
    format: formatPulledRecord,
    capacity: Math.min(Math.max(5 * maxPods, 1), 2000),
    ...gauges('pulledrecords', 'records of pulled images'),
  });
  /** How many pulls of an image are in hand. */
  const inHand = new Map<string, number>();
  /** Images whose intents had neither a pull nor an image when it was last looked. */
  let leftBehind: ReadonlySet<string> = new Set();
  // One file at a time: intents by image, records by reference.
  const turns = createKeyedExecutor();
  const ofIntent = <T>(image: string, task: () => Promise<T>): Promise<T> => turns.run(`pulling ${image}`, task);
  const ofRecord = <T>(imageRef: string, task: () => Promise<T>): Promise<T> => turns.run(`pulled ${imageRef}`, task);

  const add = (image: string, imageRef: string, added: ImagePullCredentials | undefined): Promise<void> =>
    ofRecord(imageRef, async () => {
      const known = await pulledImages.get(imageRef);
      const mapping = known === undefined || known === 'unreadable' ? {} : known.credentialMapping;
      const repository = repositoryOf(image);
      const before = mapping[repository];
      const after = added === undefined ? before : mergeCredentials(before, added);
      if (known !== undefined && known !== 'unreadable' && after === before) return;
      const credentialMapping = after === undefined ? mapping : { ...mapping, [repository]: after };
      await pulledImages.put({ imageRef, lastUpdatedMs: clock.now(), credentialMapping });
    });
  const noteFailure = (what: string, error: unknown): void => logger.error(`${what}: ${errorMessage(error)}`);
  const release = (image: string, keepIntent: boolean): Promise<void> =>
    ofIntent(image, async () => {
      const others = (inHand.get(image) ?? 1) - 1;
      if (others > 0) return void inHand.set(image, others);
      inHand.delete(image);
      if (!keepIntent) await intents.delete(image);
    }).catch((error: unknown) => noteFailure(`the intent to pull ${image} could not be removed`, error));

  const check = async (
    image: string,
    imageRef: string,
    origins: () => Promise<readonly CredentialOrigin[]>,
  ): Promise<{ mustPull: boolean; result: string }> => {
    // In this order: an intent goes after its record has come, so one of the two is seen.
    const hasIntent = (await ofIntent(image, () => intents.get(image))) !== undefined;
    const record = await ofRecord(imageRef, () => pulledImages.get(imageRef));
    const facts = { repository: repositoryOf(image), record, hasIntent };
    let step = decideVerification(requiresVerification, { ...facts, origins: undefined });
    if (step.step === 'ask-credentials') {
      step = decideVerification(requiresVerification, { ...facts, origins: await origins() });
    }
    if (step.step !== 'use') return { mustPull: true, result: 'mustAuthenticate' };
    if ('learned' in step && step.learned !== undefined) {
      await add(image, imageRef, credentialsOf({ kind: 'secret', ...step.learned })).catch((error: unknown) =>
        noteFailure(`the record of ${image} could not be completed`, error),
      );
    }
    return { mustPull: false, result: step.why };
  };

  const pruneIntents = async (imageNames: ReadonlySet<string>): Promise<void> => {
    const isThere = (image: string): boolean => imageNames.has(image) || imageNames.has(canonicalImageName(image));
    const left = (await intents.list()).filter(({ image }) => !inHand.has(image) && !isThere(image));
    for (const { image } of left.filter((intent) => leftBehind.has(intent.image))) {
      await ofIntent(image, async () => {
        if (!inHand.has(image)) await intents.delete(image);
      });
    }
    leftBehind = new Set(left.map(({ image }) => image));
  };

  return {
    intend: (image) =>
      ofIntent(image, async () => {
        if (!inHand.has(image)) await intents.put({ image });
        inHand.set(image, (inHand.get(image) ?? 0) + 1);
      }),
    async pulled(image, imageRef, origin) {
      let isOnRecord = true;
      try {
        await add(image, imageRef, credentialsOf(origin));
      } catch (error) {
        isOnRecord = false;
        noteFailure(`it could not be recorded who pulled ${image}`, error);
      }
      await release(image, !isOnRecord);
    },
    ended: (image, end) => release(image, end === 'unknown'),
    async mustPull(image, imageRef, origins) {
      try {
        const { mustPull, result } = await check(image, imageRef, origins);
        checks.inc({ result });
        return mustPull;
      } catch (error) {
        checks.inc({ result: 'error' });
        logger.warn(`${image} has to be pulled, as it could not be told who may use it: ${errorMessage(error)}`);
        return true;
      }
    },
    async reconcile(find) {
      try {
        await pulledImages.list();
        for (const { image } of await intents.list()) {
          const imageRef = await find(image);
          if (imageRef === '') continue;
          await ofIntent(image, async () => {
            if (inHand.has(image)) return;
            await add(image, imageRef, undefined);
            await intents.delete(image);
          });
        }
      } catch (error) {
        noteFailure('what an earlier run left of its pulls could not be brought to an end', error);
      }
    },
    async prune(imageNames, beforeMs) {
      try {
        await pruneIntents(imageNames);
        for (const { imageRef } of await pulledImages.list()) {
          await ofRecord(imageRef, async () => {
            const record = await pulledImages.get(imageRef);
            if (record === undefined || record === 'unreadable') return;
            if (record.lastUpdatedMs < beforeMs && !imageNames.has(imageRef)) await pulledImages.delete(imageRef);
          });
        }
      } catch (error) {
        noteFailure('the records of images that are gone could not be removed', error);
      }
    },
  };
}
