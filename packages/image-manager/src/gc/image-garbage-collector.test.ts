import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import type { Labels, Metrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeImage } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createImageHolds } from '../image-holds.ts';
import { createImageManager } from '../image-manager.ts';
import { createPullRecords } from '../records/pull-records.ts';
import { createMemoryRecords, RECORDS_DIRECTORY } from '../test-support/memory-records.ts';
import { createImageGarbageCollector, type ImageGcOptions } from './image-garbage-collector.ts';

const MINUTE = 60_000;
const GiB = 1024 ** 3;

interface Setting extends Partial<ImageGcOptions> {
  /** Sizes of the initially present images, in percent of the disk. */
  readonly sizes?: Readonly<Record<string, number>>;
  readonly images?: readonly FakeImage[];
  /** Usage of the disk by others, in percent. */
  readonly otherPercent?: number;
}

function setUp({ sizes = {}, images = [], otherPercent = 0, ...options }: Setting = {}) {
  const clock = createVirtualClock();
  const present = Object.entries(sizes).map(([tag, percent]): FakeImage => ({
    tags: [tag],
    present: true,
    sizeBytes: percent * GiB,
  }));
  const fake = createFakeRuntime(
    { clock, random: seededRandom(1), logs: discardLogs },
    { images: [...present, ...images] },
  );
  const eventLog = createEventLog(clock);
  const events: string[] = [];
  eventLog.events$.subscribe(({ object, type, reason, message }) =>
    events.push(`${object.kind} ${object.name} ${type} ${reason}: ${message}`),
  );
  const measured: (Labels | undefined)[] = [];
  const metrics: Metrics = {
    counter: () => ({ inc: (labels) => measured.push(labels) }),
    gauge: () => ({ set: () => undefined }),
    histogram: () => ({ observe: () => undefined }),
  };
  const disk = { capacityBytes: 100 * GiB, otherBytes: otherPercent * GiB };
  const used = (): number => fake.snapshot().images.reduce((sum, { size }) => sum + Number(size), disk.otherBytes);
  const logger = recordingLogger();
  const holds = createImageHolds(clock);
  const directories = createMemoryRecords();
  const records = createPullRecords({ files: directories.nodeFiles, clock }, { directory: RECORDS_DIRECTORY });
  const manager = createImageManager({ images: fake.images, clock, events: eventLog, holds, records });
  const collector = createImageGarbageCollector(
    {
      runtime: fake.runtime,
      images: fake.images,
      readFsStats: async () => ({
        capacityBytes: disk.capacityBytes,
        availableBytes: Math.max(0, disk.capacityBytes - used()),
      }),
      clock,
      events: eventLog,
      holds,
      records,
      logger,
      metrics,
    },
    { nodeName: 'node1', ...options },
  );
  /** Logged fields of the images that were removed. */
  const removed = () =>
    logger.lines.filter(({ message }) => message === 'removed an unused image').map(({ fields }) => fields);
  const left = (): string[] =>
    fake
      .snapshot()
      .images.map(({ repoTags }) => repoTags[0]!.replace('docker.io/library/', '').replace(':latest', ''))
      .sort();
  const ensure = (image: string) =>
    manager.ensureImageExists({ pod: testPod(), fieldPath: 'x', image, pullPolicy: 'IfNotPresent' });
  /** @returns a function that stops and removes it. */
  const run = async (image: string, mounted?: string): Promise<() => Promise<void>> => {
    const metadata = { name: image, namespace: 'default', uid: image, attempt: 0 };
    const { podSandboxId } = await fake.runtime.runPodSandbox({ config: { metadata } });
    const mounts = mounted === undefined ? [] : [{ containerPath: '/v', image: { image: mounted }, readonly: true }];
    const { containerId } = await fake.runtime.createContainer({
      podSandboxId,
      config: { metadata: { name: 'main', attempt: 0 }, image: { image }, mounts },
    });
    return async () => {
      await fake.runtime.removeContainer({ containerId });
    };
  };
  return { clock, fake, disk, events, measured, directories, manager, collector, removed, left, ensure, run };
}

describe('a garbage collection of images', () => {
  it('removes nothing while there is enough space', async () => {
    const { collector, left } = setUp({ sizes: { a: 40, b: 44 } });
    await collector.collect();
    expect(left()).toEqual(['a', 'b']);
  });

  it('frees space down to the low threshold, the least recently used image first', async () => {
    const { clock, collector, left, run, removed, measured } = setUp({ sizes: { a: 20, b: 20, c: 20, d: 25 } });
    const endOfA = await run('a');
    const endOfB = await run('b');
    await run('d');
    await clock.advance(MINUTE);
    // Removing c, which was never used, is enough.
    await collector.collect();
    expect(left()).toEqual(['a', 'b', 'd']);
    await endOfA();
    await clock.advance(MINUTE);
    await collector.collect();
    await endOfB();
    await collector.deleteUnusedImages();
    expect(removed().map(({ image, reason }) => [image, reason])).toEqual([
      ['docker.io/library/c:latest', 'space'],
      ['docker.io/library/a:latest', 'space'],
      ['docker.io/library/b:latest', 'space'],
    ]);
    expect(measured).toEqual([{ reason: 'space' }, { reason: 'space' }, { reason: 'space' }]);
    expect(left()).toEqual(['d']);
  });

  it('keeps images that are pinned, or used by a container in any state or as a volume', async () => {
    const images: FakeImage[] = [{ tags: ['pinned'], present: true, pinned: true, sizeBytes: GiB }];
    const { collector, left, run, fake } = setUp({ sizes: { running: 1, exited: 1, data: 1, free: 1 }, images });
    await run('running', 'data');
    await run('exited');
    const { containers } = await fake.runtime.listContainers({});
    for (const { id } of containers) await fake.runtime.startContainer({ containerId: id });
    await fake.runtime.stopContainer({ containerId: containers[0]!.id });
    await collector.deleteUnusedImages();
    expect(left()).toEqual(['data', 'exited', 'pinned', 'running']);
  });

  it('keeps images that were discovered just now', async () => {
    const { clock, collector, left, fake } = setUp({ sizes: { a: 1 } });
    await collector.collect();
    await fake.images.pullImage({ image: { image: 'young' } });
    await collector.deleteUnusedImages();
    expect(left()).toEqual(['young']);
    await clock.advance(2 * MINUTE - 1);
    await collector.deleteUnusedImages();
    expect(left()).toEqual(['young']);
    await clock.advance(1);
    await collector.deleteUnusedImages();
    expect(left()).toEqual([]);
  });

  it('removes images beyond the maximum age even with enough space, once it has observed them for that long', async () => {
    const { clock, collector, left, run, measured } = setUp({
      sizes: { used: 1, unused: 1 },
      imageMaximumGcAgeMs: 60 * MINUTE,
    });
    await run('used');
    await collector.collect();
    await clock.advance(60 * MINUTE);
    await collector.collect();
    expect(left()).toEqual(['unused', 'used']);
    await clock.advance(MINUTE);
    await collector.collect();
    expect(left()).toEqual(['used']);
    expect(measured).toEqual([{ reason: 'age' }]);
  });

  it('reports the cause when removing images is not enough', async () => {
    const { collector, events, left } = setUp({ sizes: { a: 2 }, otherPercent: 93 });
    const message =
      "Insufficient free disk space on the node's image filesystem (95% of 100.0 GiB used). Failed to free sufficient space by " +
      `deleting unused images (freed ${String(2 * GiB)} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`;
    await expect(collector.collect()).rejects.toMatchObject({ reason: 'FreeDiskSpaceFailed', message });
    expect(events).toEqual([`Node node1 Warning FreeDiskSpaceFailed: ${message}`]);
    expect(left()).toEqual([]);
  });

  it('rejects a disk without a size', async () => {
    const { collector, disk, events } = setUp();
    disk.capacityBytes = 0;
    await expect(collector.collect()).rejects.toMatchObject({ reason: 'InvalidDiskCapacity' });
    expect(events).toEqual(['Node node1 Warning InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  });

  it('continues with the next image when one cannot be removed, and reports it', async () => {
    const { collector, fake, left } = setUp({ sizes: { a: 45, b: 45 } });
    fake.failNext('removeImage', new ServiceError(StatusCode.Unknown, 'image is being used'));
    await expect(collector.collect()).rejects.toMatchObject({
      reason: 'ImageDeletionFailed',
      message: `wanted to free ${String(10 * GiB)} bytes, but freed ${String(45 * GiB)} bytes space with errors in image deletion: rpc error: code = Unknown desc = image is being used`,
    });
    expect(left()).toHaveLength(1);
  });

  it('removes nothing when the images in use are unknown', async () => {
    const { collector, fake, left } = setUp({ sizes: { a: 95 } });
    for (const rpc of ['listContainers', 'listImages'] as const) {
      fake.failNext(rpc, new ServiceError(StatusCode.Unavailable, 'down'));
      await expect(collector.collect()).rejects.toMatchObject({ reason: 'ImageStatsUnavailable' });
    }
    expect(left()).toEqual(['a']);
  });

  it('removes the records of images that are gone, and keeps those of used images', async () => {
    const images: FakeImage[] = [{ tags: ['a'] }, { tags: ['b'] }];
    const { clock, collector, directories, ensure, run, fake } = setUp({ images });
    await ensure('a');
    await ensure('b');
    await run('a');
    await clock.advance(5 * MINUTE);
    expect(directories.pulled.files.size).toBe(2);
    await collector.deleteUnusedImages();
    expect([...directories.pulled.files.values()]).toEqual([expect.stringContaining('docker.io/library/a')]);
    await fake.images.removeImage({ image: { image: 'a' } });
    await clock.advance(1000);
    await collector.collect();
    expect(directories.pulled.files.size).toBe(0);
  });
});

describe('an image that is about to be used', () => {
  it('stays from its request by a pod until the container exists', async () => {
    const { clock, collector, left, ensure } = setUp({ sizes: { a: 1, b: 1 } });
    await ensure('a');
    await clock.advance(MINUTE);
    await collector.deleteUnusedImages();
    expect(left()).toEqual(['a']);
    await clock.advance(MINUTE);
    await collector.deleteUnusedImages();
    expect(left()).toEqual([]);
  });

  it('is skipped, and another image is removed', async () => {
    const { collector, left, ensure } = setUp({ sizes: { a: 45, b: 45 } });
    await ensure('a');
    await collector.collect();
    expect(left()).toEqual(['a']);
  });

  it('stays during its pull, however long', async () => {
    const images: FakeImage[] = [{ tags: ['a', 'a:2'], sizeBytes: GiB, pullLatencyMs: 60 * MINUTE, present: true }];
    const { clock, collector, left, manager } = setUp({ images });
    const pulled = manager.ensureImageExists({ pod: testPod(), fieldPath: 'x', image: 'a', pullPolicy: 'Always' });
    await clock.advance(30 * MINUTE);
    await collector.deleteUnusedImages();
    expect(left()).toEqual(['a']);
    await clock.advance(30 * MINUTE);
    await pulled;
  });

  it('is pulled when its removal had begun', async () => {
    const { clock, collector, fake, ensure, left } = setUp({ sizes: { a: 1 } });
    fake.setFailpoint('removeImage', '1*delay(5000)');
    const deleted = collector.deleteUnusedImages();
    await clock.settle();
    const ensured = ensure('a');
    await clock.advance(5000);
    await deleted;
    await ensured;
    expect(left()).toEqual(['a']);
    expect(fake.calls.get('pullImage')).toBe(1);
  });

  it('is detected when earlier removals take long', async () => {
    const sizes = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`i${String(index)}`, 1]));
    const { clock, collector, fake, run, left } = setUp({ sizes });
    fake.setFailpoint('removeImage', 'delay(50000)');
    const deleted = collector.deleteUnusedImages();
    await clock.advance(10_000);
    for (const name of left()) await run(name);
    await clock.advance(10 * MINUTE);
    await deleted;
    // The first two relied on the initial list, less than a minute old.
    expect(left()).toHaveLength(4);
  });
});

describe('the collector', () => {
  it('collects at once and every five minutes, and reports repeated failures', async () => {
    const { clock, collector, fake, events } = setUp({ otherPercent: 90 });
    collector.start();
    await clock.settle();
    const failed = (event: string) => event.includes('ImageGCFailed');
    expect([events.length, events.filter(failed).length]).toEqual([1, 0]);
    await clock.advance(5 * MINUTE);
    expect(events.filter(failed)).toEqual([
      expect.stringMatching(/^Node node1 Warning ImageGCFailed: Insufficient free disk space/),
    ]);
    const before = fake.calls.get('listImages')!;
    await clock.advance(50 * MINUTE);
    expect(fake.calls.get('listImages')! - before).toBe(10);
    await collector[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
    await expect(collector.collect()).rejects.toMatchObject({ name: 'LifetimeEnded' });
  });

  it('only tracks the use of images when it is turned off', async () => {
    const { clock, collector, left } = setUp({ sizes: { a: 100 }, imageGcHighThresholdPercent: 100 });
    collector.start();
    await clock.advance(60 * MINUTE);
    expect(left()).toEqual(['a']);
    await collector[Symbol.asyncDispose]();
  });

  it('times out on a runtime that does not answer, and stops at once on disposal', async () => {
    const { clock, collector, fake } = setUp();
    fake.setFailpoint('listImages', 'delay(100000000)');
    const collection = collector.collect();
    collection.catch(() => undefined);
    await clock.advance(2 * MINUTE);
    await expect(collection).rejects.toMatchObject({
      reason: 'ImageStatsUnavailable',
      message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    });
    collector.start();
    await clock.advance(MINUTE);
    await collector[Symbol.asyncDispose]();
  });

  it('reads the mounts of a container once', async () => {
    const { collector, fake, run } = setUp({ sizes: { a: 1 } });
    await run('a');
    for (let round = 0; round < 5; round += 1) await collector.collect();
    expect(fake.calls.get('containerStatus')).toBe(1);
  });

  it('frees enough whenever possible, and never more than necessary', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });
    const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sizes, flags, fc.integer({ min: 0, max: 80 }), async (percents, isUsed, otherPercent) => {
        const named = percents.map((percent, index) => [`i${String(index)}`, percent] as const);
        const { collector, left, run, removed } = setUp({ sizes: Object.fromEntries(named), otherPercent });
        for (const [index, [name]] of named.entries()) if (isUsed[index]) await run(name);
        const usedPercent = otherPercent + percents.reduce((sum, percent) => sum + percent, 0);
        const failed = await collector.collect().then(
          () => false,
          () => true,
        );
        const kept = named.filter(([name]) => left().includes(name));
        const nowPercent = otherPercent + kept.reduce((sum, [, percent]) => sum + percent, 0);
        for (const [index, [name]] of named.entries()) if (isUsed[index]) expect(left()).toContain(name);
        if (usedPercent < 85) {
          expect([failed, removed().length]).toEqual([false, 0]);
        } else if (failed) {
          expect(kept.every(([name]) => isUsed[Number(name.slice(1))])).toBe(true);
          // Available space cannot be negative, so usage beyond the disk's size counts as a full disk.
          expect(Math.min(usedPercent, 100) - (usedPercent - nowPercent)).toBeGreaterThan(80);
        } else {
          const freed = usedPercent - nowPercent;
          const last = Number(removed().at(-1)!['sizeBytes']) / GiB;
          const wanted = Math.min(usedPercent, 100) - 80;
          expect(freed).toBeGreaterThanOrEqual(wanted);
          expect(freed - last).toBeLessThan(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });
});
