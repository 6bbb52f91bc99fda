import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { AuthConfigSchema, ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createImageStore, type ImageStore } from '../image-store.ts';
import type { FakeImage } from './fake-image.ts';
import { PULL_ERROR_KINDS, pullError } from './pull-errors.ts';

const MB = 1_000_000;

interface Bench {
  readonly clock: VirtualClock;
  readonly store: ImageStore;
  /** Starts a pull. Resolves with `at <ms>: <image id or error>`, and never rejects. */
  readonly pull: (
    reference: string,
    auth?: MessageInitShape<typeof AuthConfigSchema>,
    signal?: AbortSignal,
  ) => Promise<{ atMs: number; id?: string; code?: StatusCode; message?: string }>;
}

function createBench(images: readonly FakeImage[], imageDiskBytes = Infinity): Bench {
  const clock = createVirtualClock();
  const store = createImageStore(clock, { images, missingImages: ['ghost'], imageDiskBytes });
  const atMs = (): number => clock.monotonicNow();
  return {
    clock,
    store,
    pull: (reference, auth, signal = new AbortController().signal) =>
      store.pull(reference, auth && create(AuthConfigSchema, auth), { signal }).then(
        ({ id }) => ({ atMs: atMs(), id }),
        (error: ServiceError) => ({ atMs: atMs(), code: error.code, message: error.message }),
      ),
  };
}

describe('a pull', () => {
  it('takes the time of the registry and the download, and only once for the content', async () => {
    const image: FakeImage = {
      tags: ['app:1', 'app:stable'],
      sizeBytes: 3 * MB,
      pullLatencyMs: 200,
      bandwidthBytesPerSecond: MB,
    };
    const { clock, store, pull } = createBench([image]);
    const first = pull('app:1');
    await clock.advance(3199);
    expect([...store.values()]).toEqual([]);
    await clock.advance(1);
    expect(await first).toMatchObject({ atMs: 3200, id: expect.any(String) as string });
    const second = pull('app:stable');
    await clock.advance(1000);
    expect(await second).toMatchObject({ atMs: 3400 });
    expect(store.find('app:stable')!.message.repoTags).toHaveLength(2);
  });

  it('reports its progress by the clock', async () => {
    const image: FakeImage = {
      tags: ['app:1'],
      sizeBytes: 3 * MB,
      pullLatencyMs: 200,
      bandwidthBytesPerSecond: MB,
    };
    const { clock, store, pull } = createBench([image]);
    const read = (name: string) =>
      store.readProgress([{ image: name, startedMs: clock.now() }], new AbortController().signal);
    const pulled = pull('app:1');
    await clock.advance(199);
    expect(await read('app:1')).toEqual([{ step: 'resolving' }]);
    await clock.advance(1001);
    expect(await read('app:1')).toEqual([{ step: 'downloading', currentBytes: MB, totalBytes: 3 * MB }]);
    expect(await read('other')).toEqual([undefined]);
    await clock.advance(2000);
    await pulled;
    expect(await read('app:1')).toEqual([undefined]);
  });

  it('ends when its call is cancelled, and leaves nothing', async () => {
    const image: FakeImage = { tags: ['app'], sizeBytes: 3 * MB, bandwidthBytesPerSecond: MB };
    const { clock, store, pull } = createBench([image], 3 * MB);
    const controller = new AbortController();
    const pulling = pull('app', undefined, controller.signal);
    await clock.advance(1000);
    controller.abort(new ServiceError(StatusCode.Canceled, 'enough'));
    expect(await pulling).toMatchObject({ atMs: 1000, code: StatusCode.Canceled });
    expect(clock.pendingTimers).toBe(0);
    expect(store.usage()).toEqual({ bytes: 0n, inodes: 0n });
    const again = pull('app');
    await clock.advance(3000);
    expect(await again).toMatchObject({ atMs: 4000, id: expect.any(String) as string });
  });

  it('fails as scripted, then succeeds', async () => {
    const image: FakeImage = {
      tags: ['app'],
      pullLatencyMs: 10,
      errors: [
        { kind: 'too-many-requests', times: 2 },
        { kind: 'registry-unavailable', message: 'no route to host' },
        { kind: 'other', message: 'unexpected EOF' },
      ],
    };
    const { clock, pull } = createBench([image]);
    const outcomes = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const outcome = pull('app');
      await clock.advance(10);
      outcomes.push(await outcome);
    }
    const contains = (text: string): string => expect.stringContaining(text) as string;
    expect(outcomes).toMatchObject([
      { atMs: 10, code: StatusCode.Unknown, message: contains('429 Too Many Requests') },
      { atMs: 20, code: StatusCode.Unknown, message: contains('toomanyrequests') },
      {
        code: StatusCode.Unknown,
        message: expect.stringMatching(/^RegistryUnavailable: .*no route to host$/) as string,
      },
      { code: StatusCode.Unknown, message: contains('unexpected EOF') },
      { atMs: 50, id: contains('sha256:') },
    ]);
  });

  it('fails with NotFound until the image is published', async () => {
    const { store, pull } = createBench([]);
    expect(await pull('ghost')).toMatchObject({
      code: StatusCode.NotFound,
      message: expect.stringContaining('docker.io/library/ghost:latest') as string,
    });
    store.registry.publish({ tags: ['ghost'], sizeBytes: 5 });
    expect(await pull('ghost')).toHaveProperty('id');
    store.registry.withdraw('ghost');
    expect(await pull('ghost')).toMatchObject({ code: StatusCode.NotFound });
    expect(store.find('ghost')).toBeDefined();
  });

  it.each(PULL_ERROR_KINDS)('names the image when it fails with %s', (kind) => {
    const { code, message } = pullError(kind, 'docker.io/library/app:1');
    expect(code).toBe(kind === 'not-found' ? StatusCode.NotFound : StatusCode.Unknown);
    expect(message).toContain('failed to pull and unpack image "docker.io/library/app:1"');
  });
});

describe('an image that requires credentials', () => {
  const images: FakeImage[] = [
    {
      tags: ['registry.test:5000/app', 'private'],
      credentials: [{ username: 'me', password: 'secret' }, { token: 'abc' }],
    },
  ];
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    ['a username and a password', { username: 'me', password: 'secret' }],
    ['both in base64', { auth: base64('me:secret') }],
    ['an identity token', { identityToken: 'abc' }],
    ['a registry token', { registryToken: 'abc' }],
    [
      'credentials for its registry',
      { username: 'me', password: 'secret', serverAddress: 'https://registry.test:5000/v2/' },
    ],
  ])('is pulled with %s', async (_, auth) => {
    expect(await createBench(images).pull('registry.test:5000/app', auth)).toHaveProperty('id');
  });

  it.each([
    ['none', undefined, 'pull access denied'],
    ['empty ones', {}, 'pull access denied'],
    [
      'credentials for another registry',
      { username: 'me', password: 'secret', serverAddress: 'other' },
      'access denied',
    ],
    ['a wrong password', { username: 'me', password: 'guess' }, '401 Unauthorized'],
    ['a wrong token', { identityToken: 'xyz' }, '401 Unauthorized'],
    ['no base64', { auth: '%%' }, 'invalid auth config'],
    ['base64 without a colon', { auth: base64('me') }, 'invalid auth config'],
  ])('is not pulled with %s', async (_, auth, message) => {
    const { pull, store } = createBench(images);
    expect(await pull('registry.test:5000/app', auth)).toMatchObject({
      code: StatusCode.Unknown,
      message: expect.stringContaining(message) as string,
    });
    expect([...store.values()]).toEqual([]);
  });

  it('requires them also when its content is present', async () => {
    const { pull } = createBench(images);
    expect(
      await pull('private', { username: 'me', password: 'secret', serverAddress: 'https://index.docker.io/v1/' }),
    ).toHaveProperty('id');
    expect(await pull('private')).toMatchObject({ message: expect.stringContaining('pull access denied') as string });
  });
});

describe('the disk', () => {
  const image = (tag: string, sizeBytes: number): FakeImage => ({
    tags: [tag],
    sizeBytes,
    bandwidthBytesPerSecond: MB,
  });

  it('fills up, and then a pull fails', async () => {
    const { clock, store, pull } = createBench([image('one', 3 * MB), image('two', 3 * MB)], 5 * MB);
    const one = pull('one');
    await clock.advance(3000);
    expect(await one).toHaveProperty('id');
    const two = pull('two');
    await clock.advance(10_000);
    expect(await two).toMatchObject({
      atMs: 5000,
      code: StatusCode.Unknown,
      message: expect.stringMatching(/no space left on device$/) as string,
    });
    expect(store.usage()).toEqual({ bytes: 3_000_000n, inodes: 92n });
    store.remove('one');
    expect(store.usage()).toEqual({ bytes: 0n, inodes: 0n });
    const again = pull('two');
    await clock.advance(3000);
    expect(await again).toHaveProperty('id');
  });

  it('has no space for two concurrent pulls that fit one by one, but for two of the same image', async () => {
    const { clock, store, pull } = createBench([image('one', 3 * MB), image('two', 3 * MB)], 5 * MB);
    const pulls = [pull('one'), pull('two'), pull('one')];
    await clock.advance(3000);
    const [one, two, oneAgain] = await Promise.all(pulls);
    expect(one).toHaveProperty('id');
    expect(oneAgain).toEqual(one);
    expect(two).toMatchObject({ atMs: 2000, message: expect.stringContaining('no space left') as string });
    expect(store.usage().bytes).toBe(3_000_000n);
  });
});

describe('tags', () => {
  const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;

  it('move to another image with the pull that finds them at it', async () => {
    const { store, pull } = createBench([{ tags: ['app', 'app:1'], digest: digest('a') }]);
    const before = await pull('app');
    await pull('app:1');
    store.registry.publish({ tags: ['app', 'app:2'], digest: digest('b') });
    expect(store.find('app')!.id).toBe(before.id);
    const after = await pull('app');
    expect(after.id).not.toBe(before.id);
    expect(store.find('app')!.id).toBe(after.id);
    expect(Array.from(store.values(), ({ message }) => [message.repoTags, message.repoDigests])).toEqual([
      [['docker.io/library/app:1'], [`docker.io/library/app@${digest('a')}`]],
      [['docker.io/library/app:latest'], [`docker.io/library/app@${digest('b')}`]],
    ]);

    // An image that lost its tag is removed without taking the tag from its new owner.
    store.remove(before.id!);
    expect(store.find('app')!.id).toBe(after.id);
    expect(store.find(`app@${digest('a')}`)).toBeUndefined();
  });

  it('and digest lead to the same image with the same properties', async () => {
    const { store, pull } = createBench([
      { tags: ['app:1'], digest: digest('c'), id: digest('d'), sizeBytes: 7, pinned: true },
    ]);
    expect(await pull(`app@${digest('c')}`)).toMatchObject({ id: digest('d') });
    expect(store.find(digest('d'))!.message).toMatchObject({ size: 7n, pinned: true, repoTags: [] });
    expect(await pull('app:1')).toMatchObject({ id: digest('d') });
    expect([...store.values()]).toHaveLength(1);
    store.remove('app:1');
    expect([...store.values()]).toEqual([]);
  });
});
