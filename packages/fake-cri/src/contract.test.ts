import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ContainerState } from '@rxlet/cri-api';
import { type ContractSubject, criContract } from '@rxlet/cri-api/testing';
import { describe, expect, it } from 'vitest';
import { createFakeRuntime } from './create-fake-runtime.ts';
import { createFileLogs } from './logs/file-logs.ts';
import { type Bench, createBench } from './test-support.ts';

const IMAGE = 'docker.io/library/busybox:1.36';

describe('the fake runtime keeps the contract of the CRI ports', () => {
  it.each(criContract)('$name', async ({ check }) => {
    const logDirectory = await mkdtemp(join(tmpdir(), 'contract-'));
    const clock = createVirtualClock();
    const logs = createFileLogs(noopLogger);
    const images = [{ tags: [IMAGE], present: true }] as const;
    await using fake = createFakeRuntime(
      { clock, random: seededRandom(1), logs },
      { images, missingImages: ['localhost:1/nothing:1'] },
    );
    const subject: ContractSubject = {
      runtime: fake.runtime,
      images: fake.images,
      image: IMAGE,
      logDirectory,
      hasEvents: true,
      pass: (ms) => clock.advance(ms),
    };
    try {
      await check(subject);
    } finally {
      await rm(logDirectory, { recursive: true });
    }
  });
});

describe('beyond the contract, the fake runtime', () => {
  it('removes an image twice', async () => {
    const bench = await createBench();
    await using _ = bench.fake;
    for (let time = 0; time < 2; time += 1) await bench.fake.images.removeImage({ image: { image: 'busybox' } });
    expect((await bench.fake.images.listImages({})).images).toEqual([]);
  });

  it('reports the id of the image that a container runs', async () => {
    const bench = await createBench();
    await using _ = bench.fake;
    const { imageRef } = await bench.fake.images.pullImage({ image: { image: 'busybox' } });
    const status = await bench.container(await bench.start('nginx'));
    expect(status.imageId).toBe(imageRef);
  });

  it('runs several in a pod, each with its own state and log', async () => {
    const bench = await createBench();
    await using _ = bench.fake;
    const podSandboxId = await bench.runSandbox();
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const command = ['sh', '-c', `echo ${name}; sleep 5`];
      const containerId = await bench.create(podSandboxId, {
        metadata: { name, attempt: 0 },
        command,
        logPath: `${name}.log`,
      });
      await bench.fake.runtime.startContainer({ containerId });
      ids.push(containerId);
    }
    await bench.fake.runtime.stopContainer({ containerId: ids[0]!, timeout: 1n });
    expect([await stateOf(bench, ids[0]!), await stateOf(bench, ids[1]!)]).toEqual([
      CONTAINER_EXITED,
      CONTAINER_RUNNING,
    ]);
    expect([await bench.logOf(ids[0]!), await bench.logOf(ids[1]!)]).toEqual([['stdout F one'], ['stdout F two']]);
  });

  it('reports the user and the groups of a container', async () => {
    const bench = await createBench();
    await using _ = bench.fake;
    const securityContext = {
      runAsUser: { value: 1000n },
      runAsGroup: { value: 2000n },
      supplementalGroups: [3000n],
    };
    const { user } = await bench.container(
      await bench.create(await bench.runSandbox(), { linux: { securityContext } }),
    );
    expect(user?.linux).toMatchObject({ uid: 1000n, gid: 2000n, supplementalGroups: [2000n, 3000n] });
  });
});

const { CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;
const stateOf = async (bench: Bench, id: string): Promise<ContainerState> => (await bench.container(id)).state;
