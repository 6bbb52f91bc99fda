import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImagePull, PullCredential } from '@rxlet/agent-api/images';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { createNodeFiles } from '@rxlet/node-files';
import { testPod } from '@rxlet/pod-model/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage } from '@rxlet/test-containerd/build-image';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import {
  type PrivateRegistry,
  REGISTRY_ACCOUNT,
  registryUnavailable,
  startPrivateRegistry,
} from '@rxlet/test-containerd/private-registry';
import { until } from '@rxlet/test-containerd/processes';
import { nodeFsStats } from './gc/fs-stats.ts';
import { createImageGarbageCollector } from './gc/image-garbage-collector.ts';
import type { ImageError } from './image-error.ts';
import { createImageManager, type ImageManager, type ImageManagerOptions } from './image-manager.ts';
import { createPullRecords } from './records/pull-records.ts';

const TIMEOUT_MS = 30_000;

const unavailable = containerdUnavailable() ?? registryUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('images of a registry on containerd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rxlet-images-'));
  let containerd: PrivateContainerd;
  let cri: CriClient;
  let registry: PrivateRegistry;
  let guarded: PrivateRegistry;
  let count = 0;

  beforeAll(async () => {
    containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
    cri = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint: containerd.endpoint });
    registry = await startPrivateRegistry({ directory: join(folder, 'registry') });
    guarded = await startPrivateRegistry({ directory: join(folder, 'guarded'), password: true });
  });
  afterAll(async () => {
    await guarded?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
    await cri?.[Symbol.asyncDispose]();
    await containerd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns an image that no other test uses. */
  const newImage = (): Buffer =>
    buildImage({
      references: ['any'],
      files: [{ type: 'file', path: 'content', content: `${String(process.pid)} ${String(++count)}` }],
      defaults: {},
    });

  interface Subject extends AsyncDisposable {
    readonly manager: ImageManager;
    readonly events: EventLog;
    /** Pulls after each change. */
    readonly history: (readonly ImagePull[])[];
    ensure(image: string, pullPolicy?: string, podName?: string): Promise<string>;
  }
  const setUp = (
    options: ImageManagerOptions = {},
    ofPods: () => readonly PullCredential[] = () => [],
    recordsIn?: string,
  ): Subject => {
    const events = createEventLog(systemClock);
    const credentials = { credentialsFor: async () => ofPods() };
    const records =
      recordsIn === undefined
        ? undefined
        : createPullRecords(
            { files: createNodeFiles({ roots: [recordsIn] }), clock: systemClock },
            { directory: join(recordsIn, 'image_manager') },
          );
    const ports = { images: cri.images, clock: systemClock, events, credentials, records };
    const manager = createImageManager(ports, options);
    const history: (readonly ImagePull[])[] = [];
    manager.pulls.value$.subscribe((pulls) => history.push(pulls));
    return {
      manager,
      events,
      history,
      async ensure(image, pullPolicy = 'IfNotPresent', podName = 'web') {
        const pod = testPod({ name: podName, spec: { imagePullSecrets: [{ name: 'registry' }] } });
        return (await manager.ensureImageExists({ pod, fieldPath: 'spec.containers{web}', image, pullPolicy }))
          .imageRef;
      },
      [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
    };
  };
  const fromSecret = (password = REGISTRY_ACCOUNT.password): PullCredential => ({
    auth: { ...REGISTRY_ACCOUNT, password, auth: '', serverAddress: '', identityToken: '', registryToken: '' },
    origin: {
      kind: 'secret',
      uid: 'uid-of-secret',
      namespace: 'default',
      name: 'registry',
      credentialHash: createHash('sha256').update(password).digest('hex'),
    },
  });
  const phases = (pulls: readonly ImagePull[] | undefined): string[] => (pulls ?? []).map(({ phase }) => phase);
  const mostAtOnce = (history: (readonly ImagePull[])[]): number =>
    Math.max(...history.map((pulls) => phases(pulls).filter((phase) => phase === 'pulling').length));
  const idOf = async (image: string): Promise<string | undefined> =>
    (await cri.images.imageStatus({ image: { image } })).image?.id;
  /** Number of look-ups of a tag, with which each pull begins. */
  const lookUps = (repository: string, tag: string): number =>
    registry.requests().filter(({ path }) => path === `/v2/${repository}/manifests/${tag}`).length;

  it('pulls by tag and by digest, without a password', async () => {
    await using subject = setUp();
    const { reference, digestReference } = await registry.push('team/plain:1', newImage());

    const byTag = await subject.ensure(reference);
    expect(byTag).toBe(await idOf(reference));
    expect(subject.events.list().map(({ reason }) => reason)).toEqual(['Pulling', 'Pulled']);
    expect(subject.events.list()[1]?.message).toMatch(
      /^Successfully pulled image "127\.0\.0\.1:\d+\/team\/plain:1" in \S+ \(\S+ including waiting\)\. Image size: [1-9]\d* bytes\.$/,
    );
    const requestCount = registry.requests().length;
    expect(await subject.ensure(digestReference)).toBe(byTag);
    expect(registry.requests().length).toBe(requestCount);

    const other = await registry.push('team/plain:2', newImage());
    expect(await subject.ensure(other.digestReference)).toBe(await idOf(other.digestReference));
    expect(await idOf(other.reference)).toBeUndefined();
  });

  it('uses a present image, and pulls a moved tag with policy Always', async () => {
    await using subject = setUp();
    const { reference } = await registry.push('moving:1', newImage());
    const first = await subject.ensure(reference);
    await registry.push('moving:1', newImage());
    expect(await subject.ensure(reference)).toBe(first);
    expect(lookUps('moving', '1')).toBe(1);
    const second = await subject.ensure(reference, 'Always');
    expect(second).not.toBe(first);
    expect(second).toBe(await idOf(reference));
  });

  it('pulls with a password, also if another one fails first', async () => {
    const { reference } = await guarded.push('team/secret:1', newImage());
    await using anonymous = setUp();
    await expect(anonymous.ensure(reference)).rejects.toMatchObject({ reason: 'ErrImagePull' });
    await using subject = setUp({}, () => [fromSecret('another'), fromSecret()]);
    expect(await subject.ensure(reference)).toBe(await idOf(reference));
    expect(subject.events.list().map(({ reason }) => reason)).toEqual(['Pulling', 'Pulled']);
    const tried = guarded.requests().filter(({ user }) => user !== undefined);
    expect(tried[0]).toMatchObject({ user: REGISTRY_ACCOUNT.username, status: 401 });
    expect(tried.at(-1)).toMatchObject({ user: REGISTRY_ACCOUNT.username, status: 200 });
  });

  it('backs off after a wrong password with its reason, and retries at once with another', async () => {
    const { reference } = await guarded.push('team/wrong:1', newImage());
    const wrong = 'a-wrong-secret';
    let password = wrong;
    await using subject = setUp({ backoffInitialMs: 600_000, backoffMaxMs: 600_000 }, () => [fromSecret(password)]);
    const failure = await subject.ensure(reference).catch((error: unknown) => error as ImageError);
    expect(failure).toMatchObject({ reason: 'ErrImagePull' });
    expect((failure as ImageError).message).toMatch(/wrong:1.*(401|authorization failed)/);
    const requestCount = guarded.requests().length;
    await expect(subject.ensure(reference)).rejects.toMatchObject({
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "${reference}": ErrImagePull: ${(failure as ImageError).message}`,
    });
    expect(guarded.requests().length).toBe(requestCount);
    password = REGISTRY_ACCOUNT.password;
    expect(await subject.ensure(reference)).toBe(await idOf(reference));
    expect(JSON.stringify(subject.events.list())).not.toContain(wrong);
    expect((failure as ImageError).message).not.toContain(wrong);
  });

  it('restricts an image that was pulled with a password to pods that have it', async () => {
    const { reference } = await guarded.push('team/private:1', newImage());
    const root = join(folder, 'root');
    mkdirSync(root);
    const owned = () => [fromSecret()];
    {
      await using first = setUp({}, owned, root);
      await first.ensure(reference);
    }
    const requestCount = guarded.requests().length;
    // As after a restart of the agent.
    await using again = setUp({}, owned, root);
    expect(await again.ensure(reference)).toBe(await idOf(reference));
    expect(again.events.list().map(({ message }) => message)).toEqual([
      `Container image "${reference}" already present on machine and can be accessed by the pod`,
    ]);
    expect(guarded.requests().length).toBe(requestCount);
    await using without = setUp({}, undefined, root);
    await expect(without.ensure(reference)).rejects.toMatchObject({ reason: 'ErrImagePull' });
    await expect(without.ensure(reference, 'Never')).rejects.toMatchObject({ reason: 'ErrImageNeverPull' });
  });

  it('reports the registry’s error when there is no such image', async () => {
    await using subject = setUp();
    await expect(subject.ensure(`${registry.host}/missing:1`)).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: expect.stringMatching(/^rpc error: code = NotFound desc = .*missing:1: not found$/) as unknown,
    });
  });

  it.each([
    { name: 'one by one', options: {}, atOnce: 1 },
    { name: 'two at a time', options: { serializeImagePulls: false, maxParallelImagePulls: 2 }, atOnce: 2 },
    { name: 'all at once', options: { serializeImagePulls: false }, atOnce: 3 },
  ])('pulls $name', async ({ options, atOnce }) => {
    await using subject = setUp(options);
    const images = await Promise.all(
      ['a', 'b', 'c'].map((name) => registry.push(`${name}-${String(atOnce)}:1`, newImage())),
    );
    using hold = registry.hold(/\/manifests\//);
    const results: Promise<string>[] = [];
    for (const { reference } of images) {
      results.push(subject.ensure(reference));
      await until('the pull', TIMEOUT_MS, () => subject.history.at(-1)?.at(-1)?.image === reference);
    }
    await until(`${String(atOnce)} pulls at the registry`, TIMEOUT_MS, () => hold.waiting().length === atOnce);
    expect(phases(subject.history.at(-1))).toEqual(['pulling', 'pulling', 'pulling'].fill('queued', atOnce));
    expect(subject.history.at(-1)?.map(({ image }) => image)).toEqual(images.map(({ reference }) => reference));
    hold.release();
    const ids = await Promise.all(results);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(await Promise.all(images.map(({ reference }) => idOf(reference))));
    expect(mostAtOnce(subject.history)).toBe(atOnce);
    expect(subject.history.at(-1)).toEqual([]);
  });

  it('pulls an image once for several pods at the same time', async () => {
    await using subject = setUp({ serializeImagePulls: false });
    const { reference } = await registry.push('shared:1', newImage());
    using hold = registry.hold(/\/manifests\//);
    const results = ['one', 'two', 'three'].map((pod) => subject.ensure(reference, 'Always', pod));
    await until('the pull', TIMEOUT_MS, () => hold.waiting().length > 0);
    await until('all requests', TIMEOUT_MS, () => subject.history.at(-1)?.[0]?.requests.length === 3);
    expect(subject.history.at(-1)).toMatchObject([{ image: reference, phase: 'pulling' }]);
    hold.release();
    expect(new Set(await Promise.all(results))).toEqual(new Set([await idOf(reference)]));
    expect(lookUps('shared', '1')).toBe(1);
  });

  it('removes images that no container uses', async () => {
    await using subject = setUp();
    const [used, unused] = await Promise.all(
      ['used', 'unused'].map(async (name) => (await registry.push(`${name}:1`, newImage())).reference),
    );
    const usedId = await subject.ensure(used!);
    await subject.ensure(unused!);
    const sandboxConfig = { metadata: { name: 'gc', namespace: 'default', uid: 'uid-gc', attempt: 0 } };
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config: sandboxConfig });
    await cri.runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: { metadata: { name: 'main', attempt: 0 }, image: { image: usedId }, command: ['/content'] },
    });

    const events = createEventLog(systemClock);
    await using collector = createImageGarbageCollector(
      { runtime: cri.runtime, images: cri.images, readFsStats: nodeFsStats, clock: systemClock, events },
      // The disk is always too full for this policy.
      { nodeName: 'node1', imageGcHighThresholdPercent: 0, imageGcLowThresholdPercent: 0, imageMinimumGcAgeMs: 0 },
    );
    await expect(collector.collect()).rejects.toMatchObject({ reason: 'FreeDiskSpaceFailed' });
    expect(await idOf(unused!)).toBeUndefined();
    expect(await idOf(used!)).toBe(usedId);
    expect(events.list()).toMatchObject([
      { object: { kind: 'Node', name: 'node1' }, type: 'Warning', reason: 'FreeDiskSpaceFailed' },
    ]);

    await cri.runtime.stopPodSandbox({ podSandboxId });
    await cri.runtime.removePodSandbox({ podSandboxId });
    await expect(collector.collect()).rejects.toMatchObject({ reason: 'FreeDiskSpaceFailed' });
    expect(await idOf(used!)).toBeUndefined();
    // The freed space is available again.
    expect(await subject.ensure(used!)).toBe(usedId);
  });
});
