import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { criContract } from '@rxlet/cri-api/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { containerdMajorVersion } from '@rxlet/test-containerd/prerequisites';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import { createCriClient, type CriClient } from './create-cri-client.ts';

describe.skipIf(containerdUnavailable() !== undefined)('containerd keeps the contract of the CRI ports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rxlet-'));
  let containerd: PrivateContainerd;
  let client: CriClient;

  beforeAll(async () => {
    containerd = await startPrivateContainerd({ directory: join(folder, 'containerd') });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: containerd.endpoint });
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await containerd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(criContract)('$name', ({ check }) =>
    check({
      runtime: client.runtime,
      images: client.images,
      image: BUSYBOX_REFERENCE,
      logDirectory: join(folder, 'logs'),
      hasEvents: containerdMajorVersion() >= 2,
      pass: (ms) => sleep(systemClock, ms),
    }),
  );
});
