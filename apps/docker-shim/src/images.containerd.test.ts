import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { StatusCode } from '@rxlet/cri-api';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { type RunningShim, startShim } from '@rxlet/test-containerd/docker-shim';
import {
  DOCKER_PAUSE_REFERENCE,
  dockerdUnavailable,
  type PrivateDockerd,
  startPrivateDockerd,
} from '@rxlet/test-containerd/private-dockerd';
import {
  type PrivateRegistry,
  REGISTRY_ACCOUNT,
  registryUnavailable,
  startPrivateRegistry,
} from '@rxlet/test-containerd/private-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPod } from './test-support/test-pod.ts';

const unavailable = dockerdUnavailable() ?? registryUnavailable();

describe.skipIf(unavailable !== undefined)('images and statistics in Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shim-'));
  let dockerd: PrivateDockerd;
  let registry: PrivateRegistry;
  let shim: RunningShim;
  let client: CriClient;

  beforeAll(async () => {
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    registry = await startPrivateRegistry({ directory: join(folder, 'registry'), password: true });
    shim = await startShim(dockerd, join(folder, 'shim'));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: shim.endpoint });
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await shim?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('pulls with a password, by tag and by digest, and removes all names', async () => {
    const { reference, digestReference } = await registry.push('team/app:1', busyboxImage('any'));
    const image = { image: reference };
    await expect(client.images.pullImage({ image })).rejects.toMatchObject({ code: StatusCode.PermissionDenied });
    const absent = { image: `${registry.host}/team/none:1` };
    await expect(client.images.pullImage({ image: absent, auth: REGISTRY_ACCOUNT })).rejects.toMatchObject({
      code: StatusCode.NotFound,
    });
    const { imageRef } = await client.images.pullImage({ image, auth: REGISTRY_ACCOUNT });
    const pulled = await client.images.pullImage({ image: { image: digestReference }, auth: REGISTRY_ACCOUNT });
    expect(pulled.imageRef).toBe(imageRef);
    const { image: found } = await client.images.imageStatus({ image: { image: digestReference } });
    expect(found).toMatchObject({ id: imageRef, repoTags: [reference], repoDigests: [digestReference] });
    await client.images.removeImage({ image: { image: imageRef } });
    expect((await client.images.imageStatus({ image })).image).toBeUndefined();
  });

  it('reports the image of sandboxes as pinned, and no other', async () => {
    const { images } = await client.images.listImages({});
    const pinned = images.filter((image) => image.pinned).flatMap(({ repoTags }) => repoTags);
    expect(pinned).toEqual([DOCKER_PAUSE_REFERENCE]);
    expect(images.length).toBeGreaterThan(1);
  });

  it('reports what a pod and its containers use, and changes their limits', async () => {
    await using pod = await runPod(client, {
      name: 'stats',
      logDirectory: join(folder, 'logs'),
      image: BUSYBOX_REFERENCE,
    });
    const script = 'dd if=/dev/zero of=/file bs=1k count=64; while true; do :; done';
    const containerId = await pod.start('busy', script);
    const { runtime } = client;
    await runtime.listContainerStats({});
    const sample = async () => (await runtime.containerStats({ containerId })).stats!;
    await expect
      .poll(async () => (await sample()).cpu?.usageNanoCores?.value ?? 0n, { timeout: 10_000 })
      .toBeGreaterThan(100_000_000n);
    const stats = await sample();
    expect(stats.attributes?.metadata?.name).toBe('busy');
    expect(stats.memory?.workingSetBytes?.value).toBeGreaterThan(0n);
    expect(stats.writableLayer?.usedBytes?.value).toBeGreaterThanOrEqual(65_536n);
    const { stats: own } = await runtime.podSandboxStats({ podSandboxId: pod.id });
    expect(own?.linux?.containers.map(({ attributes }) => attributes?.id)).toEqual([containerId]);
    expect(own?.linux?.network?.defaultInterface?.name).toBe('eth0');
    expect(own?.linux?.process?.processCount?.value).toBeGreaterThanOrEqual(2n);

    const limits = { cpuQuota: 20_000n, cpuPeriod: 100_000n, memoryLimitInBytes: 64n * 1024n * 1024n };
    await runtime.updateContainerResources({ containerId, linux: limits });
    expect((await pod.status(containerId)).resources?.linux).toMatchObject(limits);
  });
});
