import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { criContract } from '@rxlet/cri-api/testing';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { type RunningShim, startShim } from '@rxlet/test-containerd/docker-shim';
import { dockerdUnavailable, type PrivateDockerd, startPrivateDockerd } from '@rxlet/test-containerd/private-dockerd';
import { afterAll, beforeAll, describe, it } from 'vitest';

const unavailable = dockerdUnavailable();
if (unavailable !== undefined) process.stderr.write(`private dockerd: skipped: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('docker-shim keeps the contract of the CRI ports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shim-'));
  let dockerd: PrivateDockerd;
  let shim: RunningShim;
  let client: CriClient;

  beforeAll(async () => {
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    shim = await startShim(dockerd, join(folder, 'shim'));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: shim.endpoint });
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await shim?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(criContract)('$name', ({ check }) =>
    check({
      runtime: client.runtime,
      images: client.images,
      image: BUSYBOX_REFERENCE,
      logDirectory: join(folder, 'logs'),
      hasEvents: true,
      pass: (ms) => sleep(systemClock, ms),
    }),
  );
});
