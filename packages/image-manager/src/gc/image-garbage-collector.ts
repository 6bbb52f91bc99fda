import { type Observable, Subject } from 'rxjs';
import {
  type Clock,
  createKeyedExecutor,
  createLifetime,
  errorMessage,
  type EventObject,
  type EventRecorder,
  formatGoDuration,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
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

/** What a garbage collector of images needs. */
export interface ImageGcPorts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>;
  readonly images: Pick<ImageService, 'listImages' | 'removeImage' | 'imageFsInfo'>;
  /** The size of the disk that the runtime says its images are on; `nodeFsStats` where that is this machine's. */
  readonly readFsStats: ReadFsStats;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Shared with the image manager, so that nothing is removed that is pulled or about to be used. Default: there is none. */
  readonly holds?: ImageHolds | undefined;
  /** Shared with the image manager: what is recorded of images that are gone is forgotten. Default: nothing is recorded. */
  readonly records?: Pick<PullRecords, 'prune'> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createImageGarbageCollector}. */
export interface ImageGcOptions extends Partial<ImageGcPolicy> {
  /** Name of the node, which events are about. */
  readonly nodeName: string;
  /** Between collections. Default: 5 min. */
  readonly imageGcPeriodMs?: number;
  /** For each call of the runtime. Default: 2 min, as a kubelet's `runtimeRequestTimeout`. */
  readonly runtimeRequestTimeoutMs?: number;
}

/** An image that was removed, and why: nobody used it for too long, or space was short. */
export interface RemovedImage {
  readonly id: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
  readonly reason: 'age' | 'space';
}

/** Removes images that nobody needs. */
export interface ImageGarbageCollector extends AsyncDisposable {
  /** Collects at once and then every period. A failure is logged; from the second one in a row on it is an `ImageGCFailed` event of the node. */
  start(): void;
  /** One collection by policy: what is too old, and what is unused while space is short. @throws {@link ImageGcError} */
  collect(): Promise<void>;
  /** Removes all unused images but the youngest, as an eviction manager asks for when the disk is full. @throws {@link ImageGcError} */
  deleteUnusedImages(): Promise<void>;
  /** Each image as it is removed. Hot; completes on disposal. */
  readonly removed$: Observable<RemovedImage>;
}

/** What one collection stands on. */
interface Pass {
  readonly nowMs: number;
  readonly removable: readonly ImageRecord[];
  readonly freed: Set<string>;
  /** What containers used when it was last looked. */
  inUse: ReadonlySet<string>;
  lookedMs: number;
}

/** A removal does not go by an older look at the containers than this; shorter than images stay held that a container is being created of. */
const MAX_LOOK_AGE_MS = 60_000;

/** Creates an {@link ImageGarbageCollector}. @throws RangeError when the policy contradicts itself. */
export function createImageGarbageCollector(ports: ImageGcPorts, options: ImageGcOptions): ImageGarbageCollector {
  const { images, clock, events, records, readFsStats, logger = noopLogger, metrics = noopMetrics } = ports;
  const { nodeName, imageGcPeriodMs = 300_000, runtimeRequestTimeoutMs = 120_000 } = options;
  const holds = ports.holds ?? createImageHolds(clock);
  const policy = resolveImageGcPolicy(options);
  const isEnabled = policy.imageGcHighThresholdPercent < 100 || policy.imageMaximumGcAgeMs > 0;
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName };
  const lifetime = createLifetime();
  const removed$ = new Subject<RemovedImage>();
  lifetime.defer(() => removed$.complete());
  const collected = metrics.counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Images removed by garbage collection, by reason.',
    labelNames: ['reason'],
  });
  const imagesInUse = createImagesInUse(ports.runtime);
  // Collections come one after another: each needs to see what the one before has left.
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
  /** Looks at what there is. Images come first: a container that is created meanwhile is then seen to use its image. */
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

  /** Whether an image is used by now; removing the ones before it may have taken long. */
  const hasComeIntoUse = async (pass: Pass, image: ImageRecord): Promise<boolean> => {
    if (clock.monotonicNow() - pass.lookedMs > MAX_LOOK_AGE_MS) {
      pass.lookedMs = clock.monotonicNow();
      pass.inUse = await imagesInUse.find(bounded);
    }
    return isUsed(image, pass.inUse);
  };
  /** Removes an image unless somebody wants it by now. @returns how many bytes that frees */
  const remove = async (pass: Pass, image: ImageRecord, reason: RemovedImage['reason']): Promise<number> => {
    const { id, names, sizeBytes } = image;
    if (await hasComeIntoUse(pass, image)) return 0;
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
    removed$.next({ id, names, sizeBytes, reason });
    return sizeBytes;
  };
  /** Removes images in turn until that frees enough. What cannot be removed is left out, and told at the end. */
  const removeEach = async (
    pass: Pass,
    selected: readonly ImageRecord[],
    reason: RemovedImage['reason'],
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
    // A kubelet that is to free all there is writes the largest number of its kind.
    const wanted = bytesToFree === Infinity ? '9223372036854775807' : String(bytesToFree);
    const message = `wanted to free ${wanted} bytes, but freed ${String(freedBytes)} bytes space with errors in image deletion: ${errors}`;
    throw new ImageGcError('ImageDeletionFailed', message);
  };

  const imageFsStats = async (): Promise<FsStats> => {
    try {
      const { imageFilesystems } = await bounded((callOptions) => images.imageFsInfo({}, callOptions));
      const mountpoint = imageFilesystems[0]?.fsId?.mountpoint ?? '';
      if (mountpoint === '') throw new Error('the runtime does not tell which filesystem its images are on');
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
    logger.info('the disk for images is too full', { usagePercent, bytesToFree });
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
   * Runs a collection at its turn. Afterwards, also when it failed, what is recorded of images that are gone is forgotten, whoever removed them. The record of
   * an image that is used has to be kept as well, since it tells who else may use it.
   */
  const run = (task: (pass: Pass) => Promise<void>): Promise<void> =>
    turns.run('', async () => {
      lifetime.signal.throwIfAborted();
      const beganMs = clock.now();
      const pass = await look();
      try {
        await task(pass);
      } finally {
        const names = Array.from(inventory?.values() ?? [], (image) => image.names);
        await records?.prune(new Set(names.flat()), beganMs);
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
        // Even then it is kept track of what is used, for whoever asks for unused images to be deleted.
        await (isEnabled ? collect() : run(() => Promise.resolve()));
        hasFailed = false;
      } catch (error) {
        lifetime.signal.throwIfAborted();
        logger.error(`garbage collection of images failed: ${errorMessage(error)}`);
        // The first one may come of a runtime that is only starting.
        if (hasFailed && isEnabled) events.event(node, 'Warning', 'ImageGCFailed', errorMessage(error));
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
      // It ends with the lifetime only, by its signal's reason.
      lifetime.track(keepCollecting()).catch(() => undefined);
    },
    collect,
    deleteUnusedImages: () =>
      lifetime.track(
        run(async (pass) => {
          await freeSpace(pass, Infinity);
        }),
      ),
    removed$: removed$.asObservable(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
