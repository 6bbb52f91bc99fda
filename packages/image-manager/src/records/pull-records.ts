import type { CredentialOrigin } from '@rxlet/agent-api/images';
import { type Clock, createKeyedExecutor, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { NodeFiles } from '@rxlet/node-files';
import { canonicalImageName } from '../canonical-image-name.ts';
import { repositoryOf } from '../image-reference.ts';
import { decideVerification } from './decide-verification.ts';
import { credentialsOf, mergeCredentials } from './merge-credentials.ts';
import { createRecordDirectory } from './record-directory.ts';
import {
  formatPulledRecord,
  formatPullIntent,
  type ImagePullCredentials,
  type ImagePulledRecord,
  parsePulledRecord,
  parsePullIntent,
} from './record-format.ts';
import { createRecordStore } from './record-store.ts';
import { createVerificationPolicy, type VerificationOptions } from './verification-policy.ts';

/** Ports of {@link createPullRecords}. */
export interface PullRecordsPorts {
  readonly files: NodeFiles;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createPullRecords}. */
export interface PullRecordsOptions extends VerificationOptions {
  /** Directory of the records: `image_manager` below a kubelet's root directory. */
  readonly directory: string;
  /** KubeletConfiguration `maxPods`, which bounds the records in memory. Default: 110. */
  readonly maxPods?: number | undefined;
  /** KubeletConfiguration `maxParallelImagePulls`, which bounds the intents in memory. Default: 1. */
  readonly maxParallelImagePulls?: number | undefined;
}

/** End of a pull that did not succeed: `unknown` if the runtime may still complete it. */
export type PullEnd = 'failed' | 'unknown';

/**
 * Records on disk of the credentials that pulled each image. Pods without them must pull the image again (KEP-2535). Kubelet and agent read each other's
 * records. `image` is the reference with its default tag, `imageRef` the runtime's reference.
 *
 * An intent is written before the runtime is called and removed once the outcome is recorded. So an image counts as pulled by this agent even if the agent was
 * killed in between.
 */
export interface PullRecords {
  /** Records that a pull begins; one call of {@link pulled} or {@link ended} must follow. Rejects if it cannot be written: nothing may be pulled then. */
  intend(image: string): Promise<void>;
  /** Records the origin of the credential that pulled the image, `undefined` for none. If that cannot be written, it is logged and the intent stays. */
  pulled(image: string, imageRef: string, origin: CredentialOrigin | undefined): Promise<void>;
  /**
   * Records that a pull did not succeed. With an unknown outcome its intent stays on disk, as the image may still appear. A later pull that fails leaves it there, for the
   * same reason.
   */
  ended(image: string, end: PullEnd): Promise<void>;
  /**
   * Reports whether a pod must pull an image that is present. The origins of its credentials are read only if they matter. Never rejects: on an error the pod must
   * pull.
   */
  mustPull(image: string, imageRef: string, origins: () => Promise<readonly CredentialOrigin[]>): Promise<boolean>;
  /**
   * Completes the records of an earlier run, once at the start: intents of images that are present become records, and records of old versions are rewritten. `find`
   * returns the reference of an image, empty if it is absent. Never rejects: an intent that stays is safe.
   */
  reconcile(find: (image: string) => Promise<string>): Promise<void>;
  /** Returns a mark for now: records that are written from here on are newer. It is a counter, as the wall clock may be set back. */
  mark(): number;
  /**
   * Removes the records of images that are gone, given the names of all images that were listed after `mark` was taken: records that are no newer than `mark`, and
   * intents that have neither a pull nor an image for the second time in a row.
   */
  prune(imageNames: ReadonlySet<string>, mark: number): Promise<void>;
}

interface PullIntent {
  readonly image: string;
}

/** Pulls of one image in flight. */
interface ActivePulls {
  count: number;
  /** Whether the outcome of another pull is unknown: of one that has ended, or of an earlier run. */
  isOutcomeOpen: boolean;
}

/** Creates {@link PullRecords}. @throws VerificationPolicyError */
export function createPullRecords(ports: PullRecordsPorts, options: PullRecordsOptions): PullRecords {
  const { files, clock, logger = noopLogger, metrics = noopMetrics } = ports;
  const { directory, maxPods = 110, maxParallelImagePulls = 1 } = options;
  const requiresVerification = createVerificationPolicy(options);
  const gauges = (kind: string, type: string) => ({
    onDisk: metrics.gauge({
      name: `kubelet_imagemanager_ondisk_${kind}`,
      help: `[ALPHA] Number of ${type} stored on disk.`,
    }),
    usagePercent: metrics.gauge({
      name: `kubelet_imagemanager_inmemory_${kind}_usage_percent`,
      help: `[ALPHA] The ${type} in-memory cache usage in percent.`,
    }),
  });
  const checks = metrics.counter({
    name: 'kubelet_imagemanager_image_mustpull_checks_total',
    help: '[ALPHA] Counter for how many times kubelet checked whether credentials need to be re-verified to access an image',
    labelNames: ['result'],
  });
  const intents = createRecordStore<PullIntent>(createRecordDirectory(files, `${directory}/pulling`), logger, {
    keyOf: ({ image }) => image,
    parse(text) {
      const { record, isCurrent } = parsePullIntent(text);
      return { record: { image: record }, isCurrent };
    },
    format: ({ image }) => formatPullIntent(image),
    capacity: Math.min(Math.max(2 * maxPods, 2 * maxParallelImagePulls, 1), 1024),
    ...gauges('pullintents', 'ImagePullIntents'),
  });
  const pulledImages = createRecordStore<ImagePulledRecord>(
    createRecordDirectory(files, `${directory}/pulled`),
    logger,
    {
      keyOf: ({ imageRef }) => imageRef,
      parse: parsePulledRecord,
      format: formatPulledRecord,
      capacity: Math.min(Math.max(5 * maxPods, 1), 2000),
      ...gauges('pulledrecords', 'ImagePulledRecords'),
    },
  );
  let writes = 0;
  /** Image reference → number of the last write of its record, for records that were written since the last prune. */
  const writtenAt = new Map<string, number>();
  const activePulls = new Map<string, ActivePulls>();
  /** Images whose intents had neither a pull nor an image at the last prune. */
  let orphanedIntents: ReadonlySet<string> = new Set();
  // One file at a time: intents by image, records by reference.
  const turns = createKeyedExecutor();
  const ofIntent = <T>(image: string, task: () => Promise<T>): Promise<T> => turns.run(`pulling ${image}`, task);
  const ofRecord = <T>(imageRef: string, task: () => Promise<T>): Promise<T> => turns.run(`pulled ${imageRef}`, task);

  const add = (image: string, imageRef: string, added: ImagePullCredentials | undefined): Promise<void> =>
    ofRecord(imageRef, async () => {
      writtenAt.set(imageRef, (writes += 1));
      const known = await pulledImages.get(imageRef);
      const mapping = known === undefined || known === 'unreadable' ? {} : known.credentialMapping;
      const repository = repositoryOf(image);
      const before = mapping[repository];
      const after = added === undefined ? before : mergeCredentials(before, added);
      if (known !== undefined && known !== 'unreadable' && after === before) return;
      const credentialMapping = after === undefined ? mapping : { ...mapping, [repository]: after };
      await pulledImages.put({ imageRef, lastUpdatedMs: clock.now(), credentialMapping });
    });
  const logFailure = (what: string, error: unknown): void => logger.error(`${what}: ${errorMessage(error)}`);
  const release = (image: string, end: PullEnd | 'recorded'): Promise<void> =>
    ofIntent(image, async () => {
      const active = activePulls.get(image) ?? { count: 1, isOutcomeOpen: false };
      active.count -= 1;
      if (end !== 'failed') active.isOutcomeOpen = end === 'unknown';
      if (active.count > 0) return;
      activePulls.delete(image);
      if (!active.isOutcomeOpen) await intents.delete(image);
    }).catch((error: unknown) => logFailure(`cannot remove the intent to pull ${image}`, error));

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
        logFailure(`cannot complete the record of ${image}`, error),
      );
    }
    return { mustPull: false, result: step.why };
  };

  const pruneIntents = async (imageNames: ReadonlySet<string>): Promise<void> => {
    const isThere = (image: string): boolean => imageNames.has(image) || imageNames.has(canonicalImageName(image));
    const left = (await intents.list()).filter(({ image }) => !activePulls.has(image) && !isThere(image));
    for (const { image } of left.filter((intent) => orphanedIntents.has(intent.image))) {
      await ofIntent(image, async () => {
        if (!activePulls.has(image)) await intents.delete(image);
      });
    }
    orphanedIntents = new Set(left.map(({ image }) => image));
  };

  return {
    intend: (image) =>
      ofIntent(image, async () => {
        const active = activePulls.get(image) ?? { count: 0, isOutcomeOpen: (await intents.get(image)) !== undefined };
        if (active.count === 0) await intents.put({ image });
        active.count += 1;
        activePulls.set(image, active);
      }),
    async pulled(image, imageRef, origin) {
      let isOnRecord = true;
      try {
        await add(image, imageRef, credentialsOf(origin));
      } catch (error) {
        isOnRecord = false;
        logFailure(`cannot record the credentials that pulled ${image}`, error);
      }
      await release(image, isOnRecord ? 'recorded' : 'unknown');
    },
    ended: release,
    async mustPull(image, imageRef, origins) {
      try {
        const { mustPull, result } = await check(image, imageRef, origins);
        checks.inc({ result });
        return mustPull;
      } catch (error) {
        checks.inc({ result: 'error' });
        logger.warn(`cannot check who may use ${image}, so it is pulled: ${errorMessage(error)}`);
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
            if (activePulls.has(image)) return;
            await add(image, imageRef, undefined);
            await intents.delete(image);
          });
        }
      } catch (error) {
        logFailure('cannot complete the pull records of an earlier run', error);
      }
    },
    mark: () => writes,
    async prune(imageNames, mark) {
      try {
        await pruneIntents(imageNames);
        for (const { imageRef } of await pulledImages.list()) {
          await ofRecord(imageRef, async () => {
            if ((writtenAt.get(imageRef) ?? 0) <= mark && !imageNames.has(imageRef))
              await pulledImages.delete(imageRef);
          });
        }
        for (const [imageRef, write] of writtenAt) if (write <= mark) writtenAt.delete(imageRef);
      } catch (error) {
        logFailure('cannot remove the records of images that are gone', error);
      }
    },
  };
}
