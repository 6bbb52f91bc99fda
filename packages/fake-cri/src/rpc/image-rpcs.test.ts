import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { codeOf, collect, createBench } from '../test-support.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('images', () => {
  it('start absent, which is no error, until they are pulled', async () => {
    const { fake } = await createBench();
    expect((await fake.images.imageStatus({ image: { image: 'nginx:1.27' } })).image).toBeUndefined();
    const { imageRef } = await fake.images.pullImage({ image: { image: 'nginx:1.27' } });
    const { image } = await fake.images.imageStatus({ image: { image: 'nginx:1.27' } });
    expect(image).toMatchObject({
      id: imageRef,
      repoTags: ['docker.io/library/nginx:1.27'],
      repoDigests: [expect.stringMatching(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)],
      username: '',
      pinned: false,
    });
    expect(image!.uid).toBeUndefined();
    expect(Number(image!.size)).toBeGreaterThan(1e6);
  });

  it('match tag, digest and id, also abbreviated', async () => {
    const { fake } = await createBench();
    const { imageRef } = await fake.images.pullImage({ image: { image: 'quay.io/org/app:v1' } });
    const { repoDigests } = (await fake.images.imageStatus({ image: { image: imageRef } })).image!;
    const names = ['quay.io/org/app:v1', repoDigests[0]!, imageRef, imageRef.slice(7), imageRef.slice(7, 19)];
    for (const image of names) expect((await fake.images.imageStatus({ image: { image } })).image?.id).toBe(imageRef);
    const { images } = await fake.images.listImages({ filter: { image: { image: 'quay.io/org/app:v1' } } });
    expect(images.map((image) => image.id)).toEqual([imageRef]);
    expect((await fake.images.listImages({ filter: { image: { image: 'other' } } })).images).toEqual([]);
  });

  it('stay the same in every pull, by tag or by digest', async () => {
    const { fake } = await createBench();
    const first = await fake.images.pullImage({ image: { image: 'redis' } });
    const { repoDigests } = (await fake.images.imageStatus({ image: { image: 'redis' } })).image!;
    await fake.images.removeImage({ image: { image: 'redis' } });
    const byDigest = await fake.images.pullImage({ image: { image: repoDigests[0]! } });
    expect(byDigest.imageRef).toBe(first.imageRef);
    expect((await fake.images.imageStatus({ image: { image: 'redis' } })).image).toBeUndefined();
    await fake.images.pullImage({ image: { image: 'docker.io/library/redis:latest' } });
    expect((await fake.images.imageStatus({ image: { image: first.imageRef } })).image).toMatchObject({
      repoTags: ['docker.io/library/redis:latest'],
      repoDigests,
    });
    const pinned = await fake.images.pullImage({ image: { image: `busybox:1@${DIGEST}` } });
    expect((await fake.images.imageStatus({ image: { image: pinned.imageRef } })).image?.repoDigests).toEqual([
      `docker.io/library/busybox@${DIGEST}`,
    ]);
  });

  it('with several tags are one image, and leave with all of them', async () => {
    const { fake } = await createBench({
      images: [
        { tags: ['app:1', 'app:stable'], user: '1000:1000', sizeBytes: 5_000_000 },
        { tags: ['db'], user: 'postgres', present: true },
      ],
    });
    const one = await fake.images.pullImage({ image: { image: 'app:1' } });
    const two = await fake.images.pullImage({ image: { image: 'app:stable' } });
    expect(two).toEqual(one);
    const { image } = await fake.images.imageStatus({ image: { image: 'app:1' } });
    expect(image).toMatchObject({
      repoTags: ['docker.io/library/app:1', 'docker.io/library/app:stable'],
      repoDigests: [expect.any(String)],
      uid: { value: 1000n },
      username: '',
      size: 5_000_000n,
    });
    expect((await fake.images.imageStatus({ image: { image: 'db' } })).image).toMatchObject({ username: 'postgres' });
    await fake.images.removeImage({ image: { image: 'app:1' } });
    expect((await fake.images.imageStatus({ image: { image: 'app:stable' } })).image).toBeUndefined();
    await fake.images.removeImage({ image: { image: 'app:1' } });
  });

  it('fail to be pulled when no registry has them', async () => {
    const { fake } = await createBench({ missingImages: ['ghost'] });
    await expect(fake.images.pullImage({ image: { image: 'ghost:latest' } })).rejects.toMatchObject({
      code: StatusCode.NotFound,
      message: expect.stringContaining('docker.io/library/ghost:latest') as string,
    });
    expect(await codeOf(fake.images.pullImage({ image: { image: 'Bad Name' } }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(fake.images.pullImage({}))).toBe(StatusCode.InvalidArgument);
  });

  it('use disk space, which their removal frees', async () => {
    const { fake } = await createBench({ images: [{ tags: ['big'], sizeBytes: 1000, present: true }] });
    await fake.images.removeImage({ image: { image: 'busybox' } });
    const used = async (): Promise<bigint | undefined> =>
      (await fake.images.imageFsInfo({})).imageFilesystems[0]?.usedBytes?.value;
    expect(await used()).toBe(1000n);
    await fake.images.removeImage({ image: { image: 'big' } });
    expect(await used()).toBe(0n);
  });

  it('can be streamed and inspected', async () => {
    const { fake } = await createBench({
      images: [{ tags: ['app'], present: true, entrypoint: ['/app'], cmd: ['run'], env: ['A=b'] }],
    });
    const streamed = await collect(fake.images.streamImages({}));
    expect(streamed.flatMap((message) => message.images)).toHaveLength(2);
    const { info } = await fake.images.imageStatus({ image: { image: 'app' }, verbose: true });
    expect(JSON.parse(info['info']!)).toEqual({
      imageSpec: { config: { Entrypoint: ['/app'], Cmd: ['run'], Env: ['A=b'] } },
    });
  });

  it('can be removed under a running container, which keeps running while no other starts', async () => {
    const { fake, start, create, container } = await createBench();
    const containerId = await start('sleep', '100');
    const { podSandboxId } = (await fake.runtime.listContainers({})).containers[0]!;
    await fake.images.removeImage({ image: { image: 'busybox' } });
    expect((await container(containerId)).state).toBe(1);
    const other = { metadata: { name: 'other', attempt: 0 } };
    expect(await codeOf(create(podSandboxId, other))).toBe(StatusCode.NotFound);
    await fake.images.pullImage({ image: { image: 'busybox' } });
    expect(await codeOf(create(podSandboxId, other))).toBeUndefined();
  });

  it('come slowly, within the deadline of the call or not at all', async () => {
    const { fake, clock } = await createBench({
      images: [{ tags: ['big'], sizeBytes: 10_000, pullLatencyMs: 500, bandwidthBytesPerSecond: 1000 }],
      imageDiskBytes: 100_000_000,
    });
    const tooShort = codeOf(fake.images.pullImage({ image: { image: 'big' } }, { timeoutMs: 10_000 }));
    const pulled = fake.images.pullImage({ image: { image: 'big' } });
    await clock.advance(10_500);
    expect(await tooShort).toBe(StatusCode.DeadlineExceeded);
    expect((await pulled).imageRef).toMatch(/^sha256:/);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keep the properties with which they were published', async () => {
    const { fake } = await createBench();
    fake.registry.publish({ tags: ['late'], sizeBytes: 42, pinned: true, credentials: [{ token: 'abc' }] });
    expect(await codeOf(fake.images.pullImage({ image: { image: 'late' } }))).toBe(StatusCode.Unknown);
    await fake.images.pullImage({ image: { image: 'late' }, auth: { identityToken: 'abc' } });
    expect((await fake.images.listImages({ filter: { image: { image: 'late' } } })).images).toMatchObject([
      { size: 42n, pinned: true },
    ]);
  });
});
