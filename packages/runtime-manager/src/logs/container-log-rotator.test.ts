import { gunzipSync } from 'node:zlib';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import type { RuntimeService } from '@rxlet/cri-api';
import { createFakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { createMemoryLogDirectories, type MemoryLogDirectories } from '../testing/memory-log-directories.ts';
import {
  type ContainerLogRotator,
  type ContainerLogRotatorOptions,
  createContainerLogRotator,
  type LogRotation,
} from './container-log-rotator.ts';

const DIRECTORY = '/var/log/pods/default_web_uid-web/app';
const LOG = `${DIRECTORY}/0.log`;
const pod = testPod({ containers: [{ name: 'app' }] });

interface Bench extends ManagerBench {
  readonly directories: MemoryLogDirectories;
  readonly rotator: ContainerLogRotator;
  readonly results: LogRotation[];
  readonly fake: ReturnType<typeof createFakeRuntime>;
  readonly errors: string[];
  readonly clock: VirtualClock;
  /** Writes to the log as the container does that is in it. */
  write(text: string): void;
  /** Names in the directory, and what is in them. */
  contents(): Record<string, string>;
}

async function bench(
  options: ContainerLogRotatorOptions = {},
  wrap: (runtime: RuntimeService, directories: MemoryLogDirectories) => RuntimeService = (runtime) => runtime,
): Promise<Bench> {
  const clock = createVirtualClock();
  const directories = createMemoryLogDirectories();
  const fake = createFakeRuntime({ clock, random: seededRandom(4), logs: directories.logs });
  const manager = createManagerBench({ clock, runtime: fake.runtime, images: fake.images });
  await manager.settle(pod);
  directories.put(LOG, '');
  const errors: string[] = [];
  const logger = { error: (message: string): void => void errors.push(message) } as never;
  const runtime = wrap(fake.runtime, directories);
  const rotator = createContainerLogRotator({ runtime, directories, clock, logger }, { maxSizeBytes: 10, ...options });
  const results: LogRotation[] = [];
  rotator.results$.subscribe((result) => results.push(result));
  return {
    ...manager,
    directories,
    rotator,
    results,
    fake,
    errors,
    clock,
    write: (text) => directories.logs.open(LOG).append(text),
    contents: () =>
      Object.fromEntries(
        [...directories.files].map(([path, { content }]) => [
          path.slice(DIRECTORY.length + 1),
          (path.endsWith('.gz') ? gunzipSync(content) : content).toString(),
        ]),
      ),
  };
}

describe('the log rotator', () => {
  it('asks the runtime about large logs only, when it is told what runs', async () => {
    const b = await bench();
    const [app] = b.fake.snapshot().containers;
    const rotator = createContainerLogRotator(
      {
        runtime: b.fake.runtime,
        directories: b.directories,
        clock: b.clock,
        runningContainers: () => [{ id: app!.id, logPath: LOG }],
      },
      { maxSizeBytes: 10 },
    );
    const asked = (): number => (b.fake.calls.get('listContainers') ?? 0) + (b.fake.calls.get('containerStatus') ?? 0);
    const before = asked();
    b.write('small');
    rotator.start();
    await b.clock.advance(60_000);
    expect(asked()).toBe(before);
    b.write('now large enough');
    await b.clock.advance(10_000);
    expect(asked()).toBe(before + 1);
    expect(Object.keys(b.contents())).toHaveLength(2);
    await rotator[Symbol.asyncDispose]();
  });

  it('rotates what has grown too large, and keeps as many files as it may', async () => {
    const b = await bench({ maxFiles: 3 });
    b.write('123456789');
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.contents()).toEqual({ '0.log': '123456789' });
    b.write('!');
    await b.clock.advance(10_000);
    const [first] = b.results;
    expect(first).toMatchObject({ outcome: 'rotated', logPath: LOG });
    expect(b.contents()).toEqual({ '0.log': '', [first!.rotatedTo!]: '123456789!' });
    b.write('second log');
    await b.clock.advance(10_000);
    b.write('third log, longer');
    await b.clock.advance(10_000);
    const names = b.results.map(({ rotatedTo }) => rotatedTo!);
    expect(b.contents()).toEqual({ '0.log': '', [`${names[1]!}.gz`]: 'second log', [names[2]!]: 'third log, longer' });
    await b.rotator[Symbol.asyncDispose]();
    expect(b.directories.openCount).toBe(0);
  });

  it('has the runtime make a log that is missing', async () => {
    const b = await bench();
    b.directories.delete(LOG);
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.results).toMatchObject([{ outcome: 'reopened' }]);
    expect(b.contents()).toEqual({ '0.log': '' });
  });

  it('gives a log its name back when the runtime cannot reopen it', async () => {
    const b = await bench();
    b.write('1234567890');
    b.fake.failNext('reopenContainerLog', new Error('no inodes'));
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.results).toMatchObject([{ outcome: 'failed', reason: 'ReopenFailed' }]);
    expect(b.results[0]!.message).toContain('no inodes');
    expect(b.contents()).toEqual({ '0.log': '1234567890' });
    await b.clock.advance(10_000);
    expect(b.results[1]).toMatchObject({ outcome: 'rotated' });
  });

  it('believes its eyes when the reply to a reopening is lost', async () => {
    const b = await bench({}, (runtime) => ({
      ...runtime,
      async reopenContainerLog(request, options) {
        await runtime.reopenContainerLog(request, options);
        throw new Error('connection lost');
      },
    }));
    b.write('1234567890');
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.results).toMatchObject([{ outcome: 'rotated' }]);
    expect(b.contents()).toEqual({ '0.log': '', [b.results[0]!.rotatedTo!]: '1234567890' });
  });

  it('rotates on a full disk without compressing, and says so once', async () => {
    const b = await bench({ maxFiles: 4 });
    b.directories.failCompression(new Error('ENOSPC: no space left on device'));
    b.rotator.start();
    for (let count = 0; count < 5; count++) {
      b.write(`the log ${String(count)}..`);
      await b.clock.advance(10_000);
    }
    expect(Object.values(b.contents()).toSorted()).toEqual(['', 'the log 2..', 'the log 3..', 'the log 4..']);
    expect(b.errors).toEqual(['a rotated container log stays uncompressed']);
  });

  it('works on one container at a time and once on each, while the runtime hangs too', async () => {
    let calls = 0;
    const other = testPod({ uid: 'uid-other', name: 'other', containers: [{ name: 'app' }] });
    const b = await bench({ containerTimeoutMs: 60_000, requestTimeoutMs: 30_000 }, (runtime) => ({
      ...runtime,
      // The first container's status never comes, whatever the signal says.
      containerStatus: (request, options) =>
        calls++ === 0 ? new Promise(() => undefined) : runtime.containerStatus(request, options),
    }));
    await b.settle(other);
    b.write('1234567890');
    const otherLog = '/var/log/pods/default_other_uid-other/app/0.log';
    b.directories.put(otherLog, '1234567890');
    b.rotator.start();
    await b.clock.advance(29_000);
    expect([calls, b.results.length]).toEqual([1, 0]);
    await b.clock.advance(20_000);
    expect(b.results[0]).toMatchObject({ outcome: 'failed', message: 'no answer within 30000 ms' });
    expect(
      b.results
        .filter(({ outcome }) => outcome === 'rotated')
        .map(({ logPath }) => logPath)
        .toSorted(),
    ).toEqual([otherLog, LOG]);
  });

  it('goes on with other containers when a disk hangs, and returns to the one when that has ended', async () => {
    const b = await bench({ containerTimeoutMs: 60_000 });
    b.write('1234567890');
    const { open } = b.directories;
    const hung = Promise.withResolvers<void>();
    let opened = 0;
    b.directories.open = async (path) => {
      opened++;
      await hung.promise;
      return open(path);
    };
    b.rotator.start();
    await b.clock.advance(120_000);
    expect(b.results).toMatchObject([{ outcome: 'failed', message: 'no answer within 60000 ms' }]);
    expect(opened).toBe(1);
    await b.settle(testPod({ uid: 'uid-other', name: 'other', containers: [{ name: 'app' }] }));
    b.directories.put('/var/log/pods/default_other_uid-other/app/0.log', '1234567890');
    b.directories.open = open;
    await b.clock.advance(10_000);
    expect(b.results[1]).toMatchObject({ outcome: 'rotated', logPath: expect.stringContaining('other') as string });
    expect(b.contents()['0.log']).toBe('1234567890');
    hung.resolve();
    await b.clock.advance(10_000);
    expect(b.contents()['0.log']).toBe('');
    await b.rotator[Symbol.asyncDispose]();
    expect({ timers: b.clock.pendingTimers, open: b.directories.openCount }).toEqual({ timers: 0, open: 0 });
  });

  it('leaves logs of containers alone that have ended', async () => {
    const b = await bench();
    b.write('1234567890');
    await b.fake.runtime.stopContainer({ containerId: await b.idOf(pod, 'app'), timeout: 0n });
    b.rotator.start();
    await b.clock.advance(20_000);
    expect(b.contents()).toEqual({ '0.log': '1234567890' });
  });

  it('does nothing with a negative size', async () => {
    const b = await bench({ maxSizeBytes: -1 });
    b.write('1234567890');
    b.rotator.start();
    await b.clock.advance(20_000);
    expect(b.contents()).toEqual({ '0.log': '1234567890' });
    expect(b.clock.pendingTimers).toBe(0);
  });

  it('leaves nothing behind when it is disposed of in the middle of a rotation', async () => {
    const b = await bench({}, (runtime) => ({ ...runtime, reopenContainerLog: () => new Promise(() => undefined) }));
    b.write('1234567890');
    b.rotator.start();
    await b.clock.advance(0);
    expect(Object.keys(b.contents())).not.toContain('0.log');
    await b.rotator[Symbol.asyncDispose]();
    expect(b.contents()).toEqual({ '0.log': '1234567890' });
    expect({ timers: b.clock.pendingTimers, open: b.directories.openCount }).toEqual({ timers: 0, open: 0 });
  });

  it.each([{ maxFiles: 1 }, { maxFiles: 2.5 }, { maxWorkers: 0 }, { maxSizeBytes: NaN }, { monitorIntervalMs: 0 }])(
    'is not made with %j',
    (options) => {
      const ports = { runtime: {} as never, directories: createMemoryLogDirectories(), clock: createVirtualClock() };
      const [name] = Object.keys(options);
      expect(() => createContainerLogRotator(ports, options)).toThrow(
        expect.objectContaining({ reason: 'InvalidOption', message: expect.stringContaining(name!) as string }),
      );
    },
  );
});
