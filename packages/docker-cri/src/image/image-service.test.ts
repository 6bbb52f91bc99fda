import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../backend.ts';
import { type Answer, createFakeDocker } from '../test-support/fake-docker.ts';
import { imageHandlers } from './image-service.ts';
import { createImages } from './images.ts';

const { signal } = new AbortController();
const image = (id: string, ...RepoTags: string[]) => ({ Id: `sha256:${id.repeat(64)}`, RepoTags, Size: 1 });
const PAUSE = image('a', 'registry.k8s.io/pause:3.10.1');
const APP = image('b', 'app:1', 'app:2');

/** The image service on a Docker with these answers by path. */
async function setUp(answers: Readonly<Record<string, unknown>>, sandboxImage = 'registry.k8s.io/pause:3.10.1') {
  const docker = await createFakeDocker((request): Answer => {
    const found = answers[request.replace(/^GET /, '')];
    return found === undefined ? [404, { message: 'no such image' }] : [200, found];
  });
  const backend = {
    engine: docker.engine,
    images: createImages(docker.engine),
    facts: { get: async () => ({ DockerRootDir: '/var/lib/docker' }) },
    host: { usedInodes: async () => 7n },
    clock: createVirtualClock(),
    sandboxImage,
  } as unknown as Backend;
  const handlers = imageHandlers(backend);
  const request = <T>(fields: T) => fields as never;
  return {
    [Symbol.asyncDispose]: () => docker[Symbol.asyncDispose](),
    pinned: async () => (await handlers.listImages!(request({}), signal)).images.map(({ pinned }) => pinned),
    status: async (name: string) =>
      (await handlers.imageStatus!(request({ image: { image: name } }), signal)).image?.pinned,
    fsInfo: () => handlers.imageFsInfo!(request({}), signal),
  };
}

describe('the image of sandboxes', () => {
  it('is pinned, so that no garbage collection removes it', async () => {
    await using service = await setUp({
      '/images/json': [PAUSE, APP],
      '/images/registry.k8s.io/pause:3.10.1/json': PAUSE,
      '/images/docker.io/library/app:1/json': APP,
    });
    expect(await service.pinned()).toEqual([true, false]);
    expect(await service.status('registry.k8s.io/pause:3.10.1')).toBe(true);
    expect(await service.status('app:1')).toBe(false);
  });

  it.each([
    ['a short name', 'app:2', [false, true]],
    ['an id', PAUSE.Id, [true, false]],
    ['a malformed name, which pins nothing', 'Not An Image', [false, false]],
  ])('may be named by %s', async (_, sandboxImage, pinned) => {
    await using service = await setUp({ '/images/json': [PAUSE, APP] }, sandboxImage);
    expect(await service.pinned()).toEqual(pinned);
  });
});

describe('the filesystem of images', () => {
  it('is reported with the size of the layers', async () => {
    await using service = await setUp({ '/system/df': { LayersSize: 42 } });
    const { imageFilesystems } = await service.fsInfo();
    expect(imageFilesystems).toMatchObject([
      { fsId: { mountpoint: '/var/lib/docker' }, usedBytes: { value: 42n }, inodesUsed: { value: 7n } },
    ]);
  });

  it('is reported by a Docker without images, which may leave their size out', async () => {
    await using service = await setUp({ '/system/df': { Images: [], ImageUsage: {} } });
    const { imageFilesystems } = await service.fsInfo();
    expect(imageFilesystems).toMatchObject([{ usedBytes: { value: 0n } }]);
  });
});
