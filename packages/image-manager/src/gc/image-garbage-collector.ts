import {
  type Clock,
  createKeyedExecutor,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import { formatGoDuration } from '@rxlet/component-base/go';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { type ImageService, isNotFound, type RuntimeService } from '@rxlet/cri-api';
import { createImageHolds, type ImageHolds } from '../image-holds.ts';
import { runtimeErrorText } from '../pull-failure.ts';
import type { PullRecords } from '../records/pull-records.ts';
import { formatSize } from './format-size.ts';
import type { FsStats, ReadFsStats } from './fs-stats.ts';
import { ImageGcError } from './image-gc-error.ts';
import { type ImageGcPolicy, resolveImageGcPolicy } from './image-gc-policy.ts';
import { type ImageInventory, type ImageRecord, isUsed, type ListedImage, updateInventory } from './image-inventory.ts';
import { type BoundedCall, createImagesInUse } from './images-in-use.ts';
import { removableImages, selectForSpace, selectOldImages, spaceNeed } from './select-images.ts';

/** Ports of {@link createImageGarbageCollector}. */
export interface ImageGcPorts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>;
  readonly images: Pick<ImageService, 'listImages' | 'removeImage' | 'imageFsInfo'>;
  /** Reads the size of the filesystem that holds the images; `nodeFsStats` on the node itself. */
  readonly readFsStats: ReadFsStats;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Holds shared with the image manager, which protect images that are pulled or about to be used. Default: none. */
  readonly holds?: ImageHolds | undefined;
  /** Pull records shared with the image manager; those of images that are gone are removed. Default: none. */
  readonly records?: Pick<PullRecords, 'mark' | 'prune'> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createImageGarbageCollector}. */
export interface ImageGcOptions extends Partial<ImageGcPolicy> {
  /** Name of the node, the object of events. */
  readonly nodeName: string;
  /** Pause between collections. Default: 5 min. */
  readonly imageGcPeriodMs?: number;
  /** Timeout of each call of the runtime. Default: 2 min, as a kubelet's `runtimeRequestTimeout`. */
  readonly runtimeRequestTimeoutMs?: number;
}

/** Removes unused images. */
export interface ImageGarbageCollector extends AsyncDisposable {
  /** Collects at once and then every period. Logs a failure, and records an `ImageGCFailed` event of the node from the second one in a row. */
  start(): void;
  /** Applies another policy from the next collection on. @throws RangeError when the policy contradicts itself */
  configure(policy: Partial<ImageGcPolicy>): void;
  /** Runs one collection by policy: removes images that are unused for too long, and unused ones while space is short. @throws {@link ImageGcError} */
  collect(): Promise<void>;
  /** Removes all unused images that are older than the minimum age, for an eviction manager. @throws {@link ImageGcError} */
  deleteUnusedImages(): Promise<void>;
}

/** Reason of a removal: the image was unused for too long, or disk space was short. */
type RemovalReason = 'age' | 'space';

/** State of one collection. */
interface Pass {
  readonly nowMs: number;
  readonly removable: readonly ImageRecord[];
  readonly freed: Set<string>;
  /** Images that containers used at the last look-up. */
  inUse: ReadonlySet<string>;
  lookedMs: number;
}

/** Maximum age of the container list that a removal relies on. Shorter than the linger time of holds. */
const MAX_LOOK_AGE_MS = 60_000;

/** Creates an {@link ImageGarbageCollector}. @throws RangeError when the policy contradicts itself. */
export function createImageGarbageCollector(ports: ImageGcPorts, options: ImageGcOptions): ImageGarbageCollector {
  const { images, clock, events, records, readFsStats, logger = noopLogger, metrics = noopMetrics } = ports;
  const { nodeName, imageGcPeriodMs = 300_000, runtimeRequestTimeoutMs = 120_000 } = options;
  const holds = ports.holds ?? createImageHolds(clock);
  let policy = resolveImageGcPolicy(options);
  const isEnabled = (): boolean => policy.imageGcHighThresholdPercent < 100 || policy.imageMaximumGcAgeMs > 0;
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: nodeName };
  const lifetime = createLifetime();
  const collected = metrics.counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Images removed by garbage collection, by reason.',
    labelNames: ['reason'],
  });
  const imagesInUse = createImagesInUse(ports.runtime);
  // One collection at a time: each relies on the result of the one before.
  const turns = createKeyedExecutor();
  const startedMs = clock.monotonicNow();
  let inventory: ImageInventory | undefined;

  const bounded: BoundedCall = (call) =>
    withDeadline(clock, runtimeRequestTimeoutMs, lifetime.signal, (signal) =>
      call({ signal, timeoutMs: runtimeRequestTimeoutMs }),
    );
  const unavailable = (error: unknown): ImageGcError =>
    new ImageGcError('ImageStatsUnavailable', runtimeErrorText(error), error);

  const listImages = async (): Promise<readonly ListedImage[]> => {
    const response = await bounded((callOptions) => images.listImages({}, callOptions));
    return response.images.map(({ id, repoTags, repoDigests, size, pinned }) => ({
      id,
      names: [id, ...repoTags, ...repoDigests],
      sizeBytes: Number(size),
      pinned,
    }));
  };
  /** Lists images, then containers, so that the image of a container that is created meanwhile counts as used. */
  const look = async (): Promise<Pass> => {
    try {
      const listed = await listImages();
      const inUse = await imagesInUse.find(bounded);
      const nowMs = clock.monotonicNow();
      inventory = updateInventory(inventory, listed, inUse, nowMs);
      return { nowMs, removable: removableImages(inventory, inUse), freed: new Set(), inUse, lookedMs: nowMs };
    } catch (error) {
      throw unavailable(error);
    }
  };

  /** Reports whether an image has come into use; removing the ones before it may have taken long. */
  const isInUseAgain = async (pass: Pass, image: ImageRecord): Promise<boolean> => {
    if (clock.monotonicNow() - pass.lookedMs > MAX_LOOK_AGE_MS) {
      pass.lookedMs = clock.monotonicNow();
      pass.inUse = await imagesInUse.find(bounded);
    }
    return isUsed(image, pass.inUse);
  };
  /** Removes an image unless it has come into use. @returns the number of freed bytes */
  const remove = async (pass: Pass, image: ImageRecord, reason: RemovalReason): Promise<number> => {
    const { id, names, sizeBytes } = image;
    if (await isInUseAgain(pass, image)) return 0;
    let wasThere = true;
    const isRemoved = await holds.removeUnlessHeld(names, async () => {
      try {
        await bounded((callOptions) => images.removeImage({ image: { image: id } }, callOptions));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        wasThere = false;
      }
    });
    if (!isRemoved) return 0;
    inventory = new Map(Array.from(inventory ?? []).filter(([known]) => known !== id));
    if (!wasThere) return 0;
    pass.freed.add(id);
    collected.inc({ reason });
    logger.info('removed an unused image', { image: names.at(1) ?? id, id, sizeBytes, reason });
    return sizeBytes;
  };
  /** Removes images in turn until enough space is free. Skips images that cannot be removed and reports them at the end. */
  const removeEach = async (
    pass: Pass,
    selected: readonly ImageRecord[],
    reason: RemovalReason,
    bytesToFree: number,
  ): Promise<{ readonly freedBytes: number; readonly errors: string }> => {
    const errors = new Set<string>();
    let freedBytes = 0;
    for (const image of selected) {
      if (freedBytes >= bytesToFree) break;
      try {
        freedBytes += await remove(pass, image, reason);
      } catch (error) {
        lifetime.signal.throwIfAborted();
        errors.add(runtimeErrorText(error));
      }
    }
    return { freedBytes, errors: errors.size > 1 ? `[${[...errors].join(', ')}]` : [...errors].join() };
  };

  const freeOldImages = async (pass: Pass): Promise<void> => {
    const old = selectOldImages(pass.removable, policy, pass.nowMs, startedMs);
    const { errors } = await removeEach(pass, old, 'age', Infinity);
    if (errors === '') return;
    const age = formatGoDuration(policy.imageMaximumGcAgeMs);
    const message = `wanted to free images older than ${age}, encountered errors in image deletion: ${errors}`;
    throw new ImageGcError('ImageDeletionFailed', message);
  };
  const freeSpace = async (pass: Pass, bytesToFree: number): Promise<number> => {
    const left = pass.removable.filter(({ id }) => !pass.freed.has(id));
    const selected = selectForSpace(left, policy, pass.nowMs);
    const { freedBytes, errors } = await removeEach(pass, selected, 'space', bytesToFree);
    if (errors === '') return freedBytes;
    // A kubelet that frees all unused images writes the largest int64.
    const wanted = bytesToFree === Infinity ? '9223372036854775807' : String(bytesToFree);
    const message = `wanted to free ${wanted} bytes, but freed ${String(freedBytes)} bytes space with errors in image deletion: ${errors}`;
    throw new ImageGcError('ImageDeletionFailed', message);
  };

  const imageFsStats = async (): Promise<FsStats> => {
    try {
      const { imageFilesystems } = await bounded((callOptions) => images.imageFsInfo({}, callOptions));
      const mountpoint = imageFilesystems[0]?.fsId?.mountpoint ?? '';
      if (mountpoint === '') throw new Error('the runtime does not report the filesystem of its images');
      return await withDeadline(clock, runtimeRequestTimeoutMs, lifetime.signal, () => readFsStats(mountpoint));
    } catch (error) {
      throw unavailable(error);
    }
  };
  const fail = (reason: 'InvalidDiskCapacity' | 'FreeDiskSpaceFailed', message: string): never => {
    events.event(node, 'Warning', reason, message);
    throw new ImageGcError(reason, message);
  };
  const makeRoom = async (pass: Pass): Promise<void> => {
    const { capacityBytes, availableBytes } = await imageFsStats();
    if (capacityBytes === 0) fail('InvalidDiskCapacity', 'invalid capacity 0 on image filesystem');
    const { usagePercent, bytesToFree } = spaceNeed(capacityBytes, availableBytes, policy);
    if (usagePercent < policy.imageGcHighThresholdPercent) return;
    logger.info('the usage of the image filesystem exceeds the high threshold', { usagePercent, bytesToFree });
    const freedBytes = await freeSpace(pass, bytesToFree);
    if (freedBytes >= bytesToFree) return;
    const share = `${String(usagePercent)}% of ${formatSize(capacityBytes)}`;
    fail(
      'FreeDiskSpaceFailed',
      `Insufficient free disk space on the node's image filesystem (${share} used). ` +
        `Failed to free sufficient space by deleting unused images (freed ${String(freedBytes)} bytes). ` +
        'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
    );
  };

  /**
   * Runs a collection at its turn. Afterwards, also after a failure, removes the records of images that are gone. Records of images in use stay: they decide
   * which other pods may use the image.
   */
  const run = (task: (pass: Pass) => Promise<void>): Promise<void> =>
    turns.run('', async () => {
      lifetime.signal.throwIfAborted();
      const mark = records?.mark() ?? 0;
      const pass = await look();
      try {
        await task(pass);
      } finally {
        const names = Array.from(inventory?.values() ?? [], (image) => image.names);
        await records?.prune(new Set(names.flat()), mark);
      }
    });
  const collect = (): Promise<void> =>
    lifetime.track(
      run(async (pass) => {
        await freeOldImages(pass);
        await makeRoom(pass);
      }),
    );
  const keepCollecting = async (): Promise<void> => {
    let hasFailed = false;
    for (;;) {
      try {
        // Track the use of images also when disabled, for `deleteUnusedImages`.
        await (isEnabled() ? collect() : run(() => Promise.resolve()));
        hasFailed = false;
      } catch (error) {
        lifetime.signal.throwIfAborted();
        logger.error(`garbage collection of images failed: ${errorMessage(error)}`);
        // The first failure may mean that the runtime is still starting.
        if (hasFailed && isEnabled()) events.event(node, 'Warning', 'ImageGCFailed', errorMessage(error));
        hasFailed = true;
      }
      await sleep(clock, imageGcPeriodMs, lifetime.signal);
    }
  };

  let isStarted = false;
  return {
    start() {
      if (isStarted || lifetime.signal.aborted) return;
      isStarted = true;
      // Rejects only when the lifetime ends, with its signal's reason.
      lifetime.track(keepCollecting()).catch(() => undefined);
    },
    configure: (next) => void (policy = resolveImageGcPolicy(next)),
    collect,
    deleteUnusedImages: () =>
      lifetime.track(
        run(async (pass) => {
          await freeSpace(pass, Infinity);
        }),
      ),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
