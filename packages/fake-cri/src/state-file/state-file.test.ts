import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { ContainerState } from '@rxlet/cri-api';
import { createFileStateStore } from '@rxlet/node-files/state-file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeRuntime, type FakeRuntime } from '../create-fake-runtime.ts';
import { createMemoryLogs } from '../logs/log-sink.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'));
  path = join(folder, 'state.json');
});
afterEach(() => rm(folder, { recursive: true }));

function begin(): { fake: FakeRuntime; clock: ReturnType<typeof createVirtualClock>; warnings: () => unknown[] } {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const ports = {
    clock,
    logger,
    random: seededRandom(1),
    logs: createMemoryLogs(),
    stateStore: createFileStateStore(path),
  };
  return {
    fake: createFakeRuntime(ports),
    clock,
    warnings: () => logger.lines.filter(({ level }) => level === 'warn'),
  };
}

/** Runs a sandbox with a container for an hour. @returns the container's id */
async function runPod({ runtime, images }: FakeRuntime): Promise<string> {
  await images.pullImage({ image: { image: 'busybox' } });
  const { podSandboxId } = await runtime.runPodSandbox({
    config: { metadata: { name: 'web', namespace: 'default', uid: '1', attempt: 0 } },
  });
  const { containerId } = await runtime.createContainer({
    podSandboxId,
    config: { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox' }, command: ['sleep', '3600'] },
  });
  await runtime.startContainer({ containerId });
  return containerId;
}

describe('a file state store', () => {
  it('rejects a file in a folder that does not exist, when the runtime is created', () => {
    const stateStore = createFileStateStore('/no/such/folder/state.json');
    expect(() => createFakeRuntime({ clock: createVirtualClock(), random: seededRandom(1), stateStore })).toThrow(
      'cannot use the state file /no/such/folder/state.json: the folder /no/such/folder does not exist',
    );
  });
});

describe('the state file', () => {
  it('restores sandboxes, containers and images; running programs restart', async () => {
    const first = begin();
    const containerId = await runPod(first.fake);
    const before = first.fake.snapshot();
    await first.fake[Symbol.asyncDispose]();

    const second = begin();
    expect(second.fake.snapshot()).toEqual(before);
    await second.clock.advance(3_600_000);
    const { status } = await second.fake.runtime.containerStatus({ containerId });
    expect(status?.state).toBe(ContainerState.CONTAINER_EXITED);
    await second.fake[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  it('is on the disk when a change is answered', async () => {
    await using fake = begin().fake;
    const containerId = await runPod(fake);
    expect(await readFile(path, 'utf8')).toContain(containerId);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: 1 });
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, text.length / 2)],
    ['of another version', (text: string) => text.replace('"version":1', '"version":2')],
    ['empty', () => ''],
  ])('is moved away with one warning when it is %s', async (_how, damage) => {
    const first = begin();
    await runPod(first.fake);
    await first.fake[Symbol.asyncDispose]();
    await writeFile(path, damage(await readFile(path, 'utf8')));

    const second = begin();
    expect(second.fake.snapshot()).toEqual({ sandboxes: [], containers: [], images: [] });
    expect(second.warnings()).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['state.json.corrupt']);
    await second.fake[Symbol.asyncDispose]();
  });
});
