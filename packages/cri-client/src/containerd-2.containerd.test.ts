import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { CgroupDriver, ContainerEventType, type ContainerEventResponse } from '@rxlet/cri-api';
import { BUSYBOX_REFERENCE, buildImage, busyboxImage } from '@rxlet/test-containerd/build-image';
import { containerdMajorVersion } from '@rxlet/test-containerd/prerequisites';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import { until } from '@rxlet/test-containerd/processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CriClient, createCriClient } from './create-cri-client.ts';

const unavailable =
  containerdUnavailable() ?? (containerdMajorVersion() < 2 ? 'containerd is older than 2.0' : undefined);
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const TIMEOUT_MS = 30_000;
const CONTENT = 'localhost/rxlet/content:1';
const linux = { securityContext: { namespaceOptions: { network: 2 } } };

describe.skipIf(unavailable !== undefined)('containerd 2', () => {
  let folder: string;
  let containerd: PrivateContainerd;
  let client: CriClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
    containerd = await startPrivateContainerd({ directory: join(folder, 'containerd') });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    const files = [{ type: 'file', path: 'content', content: 'of an image' }] as const;
    await containerd.importImage(buildImage({ references: [CONTENT], files, defaults: {} }));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: containerd.endpoint });
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await containerd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a sandbox with one container that sleeps. */
  const run = async (name: string, config: object = {}): Promise<{ podSandboxId: string; containerId: string }> => {
    const { runtime } = client;
    const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
    const sandboxConfig = { metadata, logDirectory: join(folder, name), linux };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: 'main', attempt: 0 },
        image: { image: BUSYBOX_REFERENCE },
        command: ['sleep', '1000'],
        logPath: 'main.log',
        linux,
        ...config,
      },
    });
    await runtime.startContainer({ containerId });
    return { podSandboxId, containerId };
  };
  const output = async (containerId: string, ...cmd: string[]): Promise<string> => {
    const { stdout } = await client.runtime.execSync({ containerId, cmd, timeout: 10n });
    return Buffer.from(stdout).toString();
  };

  it('reports its cgroup driver, and the features of its runtime handlers', async () => {
    const { linux: config } = await client.runtime.runtimeConfig({});
    expect(config?.cgroupDriver).toBe(CgroupDriver.CGROUPFS);
    const { runtimeHandlers, features } = await client.runtime.status({});
    expect(runtimeHandlers.map(({ name }) => name).sort()).toEqual(['', 'runc']);
    for (const handler of runtimeHandlers) expect(handler.features?.recursiveReadOnlyMounts).toBeTypeOf('boolean');
    expect(features?.supplementalGroupsPolicy).toBe(true);
  });

  it('sends container events to every subscriber', async () => {
    const ended = new AbortController();
    const seen: ContainerEventResponse[][] = [[], []];
    const following = seen.map(async (events) => {
      for await (const event of client.runtime.getContainerEvents({}, { signal: ended.signal })) events.push(event);
    });
    for (const stream of following) stream.catch(() => undefined);
    // Subscribed before the first event.
    await until('the subscriptions', TIMEOUT_MS, async () => {
      await run(`probe-${String(systemClock.monotonicNow())}`);
      return seen.every((events) => events.length > 0);
    });
    const { containerId } = await run('events');
    await client.runtime.stopContainer({ containerId, timeout: 0n });
    const { CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT } = ContainerEventType;
    for (const events of seen) {
      const types = () =>
        events.filter((event) => event.containerId === containerId).map(({ containerEventType }) => containerEventType);
      await until('the events', TIMEOUT_MS, () => types().length >= 3);
      expect(types()).toEqual([CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT]);
    }
    ended.abort();
  });

  it('gives a container the edits of a CDI device', async () => {
    const spec = {
      cdiVersion: '0.6.0',
      kind: 'rxlet.example/device',
      devices: [{ name: 'one', containerEdits: { env: ['DEVICE=one'] } }],
    };
    await mkdir(join(containerd.address, '..', 'cdi'), { recursive: true });
    await writeFile(join(containerd.address, '..', 'cdi', 'rxlet.json'), JSON.stringify(spec));
    const { containerId } = await run('cdi', { CDIDevices: [{ name: 'rxlet.example/device=one' }] });
    expect(await output(containerId, 'sh', '-c', 'echo $DEVICE')).toBe('one\n');
    await expect(run('no-cdi', { CDIDevices: [{ name: 'rxlet.example/device=two' }] })).rejects.toThrow(
      'unresolvable CDI devices',
    );
  });

  it('mounts an image by its name and by its id', async () => {
    const { image } = await client.images.imageStatus({ image: { image: CONTENT } });
    const mounts = [CONTENT, image!.id].map((name, index) => ({
      containerPath: `/volume${String(index)}`,
      image: { image: name },
      readonly: true,
    }));
    const { containerId } = await run('image-volume', { mounts });
    expect(await output(containerId, 'cat', '/volume0/content', '/volume1/content')).toBe('of an imageof an image');
    expect(await output(containerId, 'sh', '-c', 'touch /volume0/x 2>&1 || true')).toContain('Read-only file system');
  });
});
