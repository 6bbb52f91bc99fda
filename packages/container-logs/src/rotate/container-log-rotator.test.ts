import { gunzipSync } from 'node:zlib';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger, type VirtualClock } from '@rxlet/component-base/testing';
import type { RuntimeService } from '@rxlet/cri-api';
import { createFakeRuntime, type FakeRuntime } from '@rxlet/fake-cri';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  type ContainerLogRotator,
  type ContainerLogRotatorOptions,
  createContainerLogRotator,
} from './container-log-rotator.ts';

const ROOT = '/var/log/pods';
const logOf = (name: string): string => `${ROOT}/default_${name}_uid-${name}/app/0.log`;
const LOG = logOf('web');
const DIRECTORY = LOG.slice(0, LOG.lastIndexOf('/'));

interface Bench {
  readonly memory: MemoryFiles;
  readonly rotator: ContainerLogRotator;
  /** Fields of the log lines about rotations so far. */
  rotated(): Readonly<Record<string, unknown>>[];
  /** Fields of the errors so far. */
  failures(): Readonly<Record<string, unknown>>[];
  readonly fake: FakeRuntime;
  /** Id of the container in pod `web`. */
  readonly appId: string;
  readonly clock: VirtualClock;
  /** Starts a container of another pod, with a log of this text. */
  run(name: string, text: string): Promise<void>;
  /** Appends to the log as the container does. */
  write(text: string): void;
  /** Names and texts of the files beside the log. */
  contents(): Record<string, string>;
}

async function bench(
  options: ContainerLogRotatorOptions = {},
  wrap: (runtime: RuntimeService) => RuntimeService = (runtime) => runtime,
): Promise<Bench> {
  const clock = createVirtualClock();
  const memory = createMemoryFiles({ roots: [ROOT] });
  const fake = createFakeRuntime({ clock, random: seededRandom(4), logs: { open: memory.openToAppend } });
  const appId = await runContainer(fake, 'web');
  memory.put(LOG, '');
  const logger = recordingLogger();
  const linesOf = (level: string) => logger.lines.filter((line) => line.level === level).map(({ fields }) => fields);
  const ports = { runtime: wrap(fake.runtime), files: memory.nodeFiles, clock, logger };
  const rotator = createContainerLogRotator(ports, { maxSizeBytes: 10, ...options });
  return {
    memory,
    rotator,
    rotated: () => linesOf('debug'),
    failures: () => linesOf('error'),
    fake,
    appId,
    clock,
    async run(name, text) {
      await runContainer(fake, name);
      memory.put(logOf(name), text);
    },
    write: (text) => memory.openToAppend(LOG).append(text),
    contents: () => contentsOf(memory),
  };
}

async function runContainer({ runtime, images }: FakeRuntime, name: string): Promise<string> {
  const image = { image: 'registry.example/app:1' };
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 };
  const sandboxConfig = { metadata, logDirectory: `${ROOT}/default_${name}_uid-${name}` };
  await images.pullImage({ image });
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
  const config = { metadata: { name: 'app', attempt: 0 }, image, command: ['serve'], logPath: 'app/0.log' };
  const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
  await runtime.startContainer({ containerId });
  return containerId;
}

function contentsOf(memory: MemoryFiles): Record<string, string> {
  const prefix = `${DIRECTORY}/`;
  const paths = memory.paths().filter((path) => path.startsWith(prefix));
  return Object.fromEntries(paths.map((path) => [path.slice(prefix.length), textOf(memory, path)]));
}

function textOf(memory: MemoryFiles, path: string): string {
  return path.endsWith('.gz') ? gunzipSync(memory.bytes(path)!).toString() : memory.text(path)!;
}

describe('the log rotator', () => {
  it('requests the status of containers with large logs only, when the running containers are known', async () => {
    const b = await bench();
    const rotator = createContainerLogRotator(
      {
        runtime: b.fake.runtime,
        files: b.memory.nodeFiles,
        clock: b.clock,
        runningContainers: () => [{ id: b.appId, logPath: LOG }],
      },
      { maxSizeBytes: 10 },
    );
    const callCount = (): number =>
      (b.fake.calls.get('listContainers') ?? 0) + (b.fake.calls.get('containerStatus') ?? 0);
    const before = callCount();
    b.write('small');
    rotator.start();
    await b.clock.advance(60_000);
    expect(callCount()).toBe(before);
    b.write('now large enough');
    await b.clock.advance(10_000);
    expect(callCount()).toBe(before + 1);
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
    const [first] = b.rotated();
    expect(first).toMatchObject({ containerId: b.appId, logPath: LOG });
    expect(b.contents()).toEqual({ '0.log': '', [String(first!['rotatedTo'])]: '123456789!' });
    for (const text of ['second log', 'third log, longer']) {
      b.write(text);
      // Compression takes real time.
      const earlier = b.rotated().length;
      await b.clock.advance(10_000);
      await vi.waitFor(() => expect(b.rotated()).toHaveLength(earlier + 1));
    }
    const names = b.rotated().map(({ rotatedTo }) => String(rotatedTo));
    expect(b.contents()).toEqual({ '0.log': '', [`${names[1]!}.gz`]: 'second log', [names[2]!]: 'third log, longer' });
    await b.rotator[Symbol.asyncDispose]();
    expect(b.memory.openHandles).toBe(0);
  });

  it('has the runtime make a log that is missing', async () => {
    const b = await bench();
    b.memory.remove(LOG);
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.fake.calls.get('reopenContainerLog')).toBe(1);
    expect(b.contents()).toEqual({ '0.log': '' });
  });

  it('gives a log its name back when the runtime cannot reopen it', async () => {
    const b = await bench();
    b.write('1234567890');
    b.fake.failNext('reopenContainerLog', new Error('no inodes'));
    b.rotator.start();
    await b.clock.advance(0);
    expect(b.failures()).toMatchObject([
      { reason: 'ReopenFailed', error: expect.stringContaining('no inodes') as string },
    ]);
    expect(b.contents()).toEqual({ '0.log': '1234567890' });
    await b.clock.advance(10_000);
    expect(b.rotated()).toHaveLength(1);
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
    expect(b.failures()).toEqual([]);
    expect(b.contents()).toEqual({ '0.log': '', [String(b.rotated()[0]!['rotatedTo'])]: '1234567890' });
  });

  it('rotates on a full disk without compressing, and reports it once', async () => {
    const b = await bench({ maxFiles: 4 });
    b.memory.fault = (operation, path) => {
      if (operation === 'createFile' && path.endsWith('.tmp')) throw new Error('ENOSPC: no space left on device');
    };
    b.rotator.start();
    for (let count = 0; count < 5; count++) {
      b.write(`the log ${String(count)}..`);
      await b.clock.advance(10_000);
    }
    expect(Object.values(b.contents()).toSorted()).toEqual(['', 'the log 2..', 'the log 3..', 'the log 4..']);
    expect(b.failures()).toMatchObject([{ error: 'ENOSPC: no space left on device' }]);
  });

  it('works on one container at a time and once on each, while the runtime hangs too', async () => {
    let calls = 0;
    const b = await bench({ containerTimeoutMs: 60_000, requestTimeoutMs: 30_000 }, (runtime) => ({
      ...runtime,
      // The first container's status never comes, whatever the signal says.
      containerStatus: (request, options) =>
        calls++ === 0 ? new Promise(() => undefined) : runtime.containerStatus(request, options),
    }));
    await b.run('other', '1234567890');
    b.write('1234567890');
    b.rotator.start();
    await b.clock.advance(29_000);
    expect([calls, b.rotated(), b.failures()]).toEqual([1, [], []]);
    await b.clock.advance(20_000);
    expect(b.failures()).toMatchObject([{ error: 'no answer within 30000 ms' }]);
    expect(
      b
        .rotated()
        .map(({ logPath }) => logPath)
        .toSorted(),
    ).toEqual([logOf('other'), LOG]);
  });

  it('goes on with other containers when a disk hangs, and returns to the one when that has ended', async () => {
    const b = await bench({ containerTimeoutMs: 60_000 });
    b.write('1234567890');
    const hung = Promise.withResolvers<void>();
    let opened = 0;
    b.memory.fault = (operation) => {
      if (operation !== 'openDirectory') return undefined;
      opened++;
      return hung.promise;
    };
    b.rotator.start();
    await b.clock.advance(120_000);
    expect(b.failures()).toMatchObject([{ error: 'no answer within 60000 ms' }]);
    expect(opened).toBe(1);
    b.memory.fault = undefined;
    await b.run('other', '1234567890');
    await b.clock.advance(10_000);
    expect(b.rotated()).toMatchObject([{ logPath: expect.stringContaining('other') as string }]);
    expect(b.contents()['0.log']).toBe('1234567890');
    hung.resolve();
    await b.clock.advance(10_000);
    expect(b.contents()['0.log']).toBe('');
    await b.rotator[Symbol.asyncDispose]();
    expect({ timers: b.clock.pendingTimers, open: b.memory.openHandles }).toEqual({ timers: 0, open: 0 });
  });

  it('leaves logs of containers alone that have ended', async () => {
    const b = await bench();
    b.write('1234567890');
    await b.fake.runtime.stopContainer({ containerId: b.appId, timeout: 0n });
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
    expect({ timers: b.clock.pendingTimers, open: b.memory.openHandles }).toEqual({ timers: 0, open: 0 });
  });

  it.each([{ maxFiles: 1 }, { maxFiles: 2.5 }, { maxWorkers: 0 }, { maxSizeBytes: NaN }, { monitorIntervalMs: 0 }])(
    'is not made with %j',
    (options) => {
      const ports = { runtime: {} as never, files: createMemoryFiles().nodeFiles, clock: createVirtualClock() };
      const [name] = Object.keys(options);
      expect(() => createContainerLogRotator(ports, options)).toThrow(
        expect.objectContaining({ reason: 'InvalidOption', message: expect.stringContaining(name!) as string }),
      );
    },
  );
});
