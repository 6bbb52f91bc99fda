import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { criContract } from '@rxlet/cri-api/testing';
import { serveCri } from '@rxlet/cri-server';
import { createFakeRuntime, createFileLogs } from '@rxlet/fake-cri';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testClient } from './test-support/test-client.ts';

const IMAGE = 'docker.io/library/busybox:1.36';

describe('the fake runtime behind a server and a client keeps the contract of the CRI ports', () => {
  const resources = new AsyncDisposableStack();
  afterAll(() => resources.disposeAsync());
  let folder: string;
  let client: ReturnType<typeof testClient>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'contract-'));
    resources.defer(() => rm(folder, { recursive: true }));
    const fake = createFakeRuntime(
      { clock: systemClock, random: seededRandom(1), logs: createFileLogs(noopLogger) },
      { images: [{ tags: [IMAGE], present: true }], missingImages: ['localhost:1/nothing:1'] },
    );
    resources.use(fake);
    resources.use(await serveCri(fake, { listen: `unix://${folder}/cri.sock` }));
    client = resources.use(testClient(join(folder, 'cri.sock')));
  });

  // Concurrently, since most cases wait.
  it.concurrent.each(criContract)('$name', ({ check }) =>
    check({
      runtime: client.runtime,
      images: client.images,
      image: IMAGE,
      logDirectory: join(folder, 'logs'),
      hasEvents: true,
      pass: (ms) => sleep(systemClock, ms),
    }),
  );
});
