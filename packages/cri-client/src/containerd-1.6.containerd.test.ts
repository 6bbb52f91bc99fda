import { existsSync, mkdtempSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { NamespaceMode } from '@rxlet/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { containerdMajorVersion } from '@rxlet/test-containerd/prerequisites';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import { createCriClient, type CriClient } from './create-cri-client.ts';
import { CapabilityMissing } from './cri-error.ts';

const unavailable =
  containerdUnavailable() ?? (containerdMajorVersion() >= 2 ? 'containerd is newer than 1.6' : undefined);

/** RPCs of CRI v1 that containerd 1.6 lacks. */
const MISSING = [
  'CheckpointContainer',
  'GetContainerEvents',
  'ListMetricDescriptors',
  'ListPodSandboxMetrics',
  'RuntimeConfig',
  'StreamContainerStats',
  'StreamContainers',
  'StreamImages',
  'StreamPodSandboxMetrics',
  'StreamPodSandboxStats',
  'StreamPodSandboxes',
  'UpdatePodSandboxResources',
];

/** Without a cgroup of its own a sandbox has no statistics in containerd 1.6. */
const CGROUP = `rxlet-test-${String(process.pid)}`;

describe.skipIf(unavailable !== undefined)('containerd 1.6', () => {
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
    removeCgroup();
  });

  it('answers every RPC that it has, and the others are missing capabilities, requested once', async () => {
    const { runtime, images } = client;
    const linux = {
      cgroupParent: `/${CGROUP}`,
      securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } },
    };
    const sandboxConfig = {
      metadata: { name: 'all', namespace: 'default', uid: 'uid', attempt: 0 },
      logDirectory: join(folder, 'logs'),
      linux,
    };
    const image = { image: BUSYBOX_REFERENCE };

    expect(await runtime.version({})).toMatchObject({ runtimeName: 'containerd', runtimeApiVersion: 'v1' });
    expect((await runtime.status({})).status?.conditions).not.toEqual([]);
    await runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '' } } });
    expect((await images.listImages({})).images).not.toEqual([]);
    expect((await images.imageStatus({ image })).image?.repoTags).toEqual([BUSYBOX_REFERENCE]);
    expect((await images.imageFsInfo({})).imageFilesystems).not.toEqual([]);
    // No server listens at this registry.
    await expect(images.pullImage({ image: { image: 'localhost:1/nothing:1' } })).rejects.toMatchObject({
      kind: 'rejected',
      outcome: 'rejected',
    });
    await images.removeImage({ image: { image: 'localhost:1/nothing:1' } });

    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: { metadata: { name: 'main', attempt: 0 }, image, command: ['sleep', '1000'], logPath: 'main.log', linux },
    });
    await runtime.startContainer({ containerId });
    expect((await runtime.podSandboxStatus({ podSandboxId })).status?.id).toBe(podSandboxId);
    expect((await runtime.listPodSandbox({})).items).toMatchObject([{ id: podSandboxId }]);
    expect((await runtime.containerStatus({ containerId })).status?.id).toBe(containerId);
    expect((await runtime.listContainers({})).containers).toMatchObject([{ id: containerId }]);
    const { stdout } = await runtime.execSync({ containerId, cmd: ['echo', 'hello'], timeout: 10n });
    expect(new TextDecoder().decode(stdout)).toBe('hello\n');
    expect((await runtime.exec({ containerId, cmd: ['sh'], stdout: true })).url).toMatch(/^http/);
    expect((await runtime.attach({ containerId, stdout: true })).url).toMatch(/^http/);
    expect((await runtime.portForward({ podSandboxId, port: [80] })).url).toMatch(/^http/);
    await runtime.reopenContainerLog({ containerId });
    await runtime.updateContainerResources({ containerId, linux: { cpuShares: 512n } });
    expect((await runtime.containerStats({ containerId })).stats?.attributes?.id).toBe(containerId);
    expect((await runtime.listContainerStats({})).stats).toMatchObject([{ attributes: { id: containerId } }]);
    expect((await runtime.podSandboxStats({ podSandboxId })).stats?.attributes?.id).toBe(podSandboxId);
    expect((await runtime.listPodSandboxStats({})).stats).toMatchObject([{ attributes: { id: podSandboxId } }]);
    await runtime.stopContainer({ containerId, timeout: 0n });
    await runtime.removeContainer({ containerId });
    await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });

    const lacking: Record<string, () => Promise<unknown>> = {
      CheckpointContainer: () => runtime.checkpointContainer({ containerId: 'x' }),
      ListMetricDescriptors: () => runtime.listMetricDescriptors({}),
      ListPodSandboxMetrics: () => runtime.listPodSandboxMetrics({}),
      RuntimeConfig: () => runtime.runtimeConfig({}),
      UpdatePodSandboxResources: () => runtime.updatePodSandboxResources({}),
      GetContainerEvents: () => first(runtime.getContainerEvents({})),
      StreamContainerStats: () => first(runtime.streamContainerStats({})),
      StreamContainers: () => first(runtime.streamContainers({})),
      StreamImages: () => first(images.streamImages({})),
      StreamPodSandboxMetrics: () => first(runtime.streamPodSandboxMetrics({})),
      StreamPodSandboxStats: () => first(runtime.streamPodSandboxStats({})),
      StreamPodSandboxes: () => first(runtime.streamPodSandboxes({})),
    };
    expect(Object.keys(lacking).sort()).toEqual(MISSING);
    for (const call of Object.values(lacking)) {
      for (const cached of [false, true]) {
        const error = await call().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(CapabilityMissing);
        expect(error).toMatchObject({ cached });
      }
    }
    const { rpcs, runtimeApiVersion, imageApiVersion } = client.capabilities();
    expect({ runtimeApiVersion, imageApiVersion }).toEqual({ runtimeApiVersion: 'v1', imageApiVersion: 'v1' });
    const answersOf = (capability: string): string[] => Object.keys(rpcs).filter((rpc) => rpcs[rpc] === capability);
    expect(answersOf('no').sort()).toEqual(MISSING);
    expect(answersOf('unknown')).toEqual([]);
  });
});

/** Removes the cgroup of a pod, which the runtime creates and leaves behind. */
function removeCgroup(): void {
  const root = '/sys/fs/cgroup';
  for (const path of [root, ...readdirSync(root).map((name) => join(root, name))].map((parent) =>
    join(parent, CGROUP),
  )) {
    if (existsSync(path)) rmdirSync(path);
  }
}

function first(stream: AsyncIterable<unknown>): Promise<unknown> {
  return stream[Symbol.asyncIterator]().next();
}
