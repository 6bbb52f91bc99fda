import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { type ImageService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { imagesOnNode } from './images-on-node.ts';
import { createManagerBench } from './testing/manager-bench.ts';

const IMAGE = 'registry.example/app:1';

function bench() {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const ports = { images: imagesOnNode(fake.images) };
  return { ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports }), fake };
}

describe('imagesOnNode', () => {
  it.each(['Always', 'IfNotPresent', 'Never'] as const)(
    'starts a container from an imported image, with pull policy %s',
    async (imagePullPolicy) => {
      const b = bench();
      await b.fake.images.pullImage({ image: { image: IMAGE } });
      const pod = testPod({ containers: [{ image: IMAGE, imagePullPolicy }] });
      expect((await b.sync(pod)).error).toBeUndefined();
      expect(await b.containers(pod)).toEqual(['app/0 running']);
    },
  );

  it('pulls nothing: a missing image fails with ErrImageNeverPull, until it is imported', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ image: IMAGE, imagePullPolicy: 'Always' }] });
    const { error } = await b.sync(pod);
    expect(error?.failures).toMatchObject([
      {
        target: 'app',
        reason: 'ErrImageNeverPull',
        message: `Container image "${IMAGE}" is not present on the node, and this agent pulls no images; import it into the runtime`,
      },
    ]);
    expect(b.fake.snapshot().containers).toEqual([]);
    await b.fake.images.pullImage({ image: { image: IMAGE } });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('fails with ImageInspectError when the runtime call fails', async () => {
    const imageStatus: ImageService['imageStatus'] = () =>
      Promise.reject(new ServiceError(StatusCode.Internal, 'disk error'));
    const ensured = imagesOnNode({ imageStatus }).ensureImageExists({ image: IMAGE } as never);
    await expect(ensured).rejects.toMatchObject({
      reason: 'ImageInspectError',
      message: `Failed to inspect image "${IMAGE}": rpc error: code = Internal desc = disk error`,
    });
  });
});
