import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { unsupportedPodFeatures } from '../unsupported-pod-features.ts';

function bench(): ManagerBench & { readonly fake: FakeRuntime } {
  const clock = createVirtualClock();
  const fake = createFakeRuntime(
    { clock, random: seededRandom(2), logs: createMemoryLogs() },
    { missingImages: ['gone:1', 'gone:2'] },
  );
  return { ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images }), fake };
}

const volume = (name: string, reference: string) => ({ name, image: { reference } });

describe('image volumes', () => {
  it('are pulled, and mounted by the runtime', async () => {
    const b = bench();
    const pod = testPod({
      containers: [{ volumeMounts: [{ name: 'model', mountPath: '/model', subPath: 'weights' }] }],
      spec: { volumes: [volume('model', 'model:7')] },
    });
    expect(unsupportedPodFeatures(pod)).toEqual([]);
    expect((await b.sync(pod)).error).toBeUndefined();
    const { mounts } = b.fake.snapshot().containers[0]!;
    const { image: model } = await b.fake.images.imageStatus({ image: { image: 'model:7' } });
    expect(mounts.find(({ containerPath }) => containerPath === '/model')).toMatchObject({
      image: { image: model!.id, userSpecifiedImage: 'model:7' },
      imageSubPath: 'weights',
      hostPath: '',
      readonly: true,
    });
  });

  it('that cannot be had keep only those containers waiting that mount them', async () => {
    const b = bench();
    const mount = (name: string) => ({ name, mountPath: `/${name}` });
    const pod = testPod({
      containers: [
        { name: 'a', volumeMounts: [mount('fine'), mount('bad'), mount('worse')] },
        { name: 'b', volumeMounts: [mount('fine')] },
      ],
      spec: { volumes: [volume('fine', 'fine:1'), volume('bad', 'gone:1'), volume('worse', 'gone:2')] },
    });
    const { results } = await b.sync(pod);
    expect(results.slice(1)).toEqual([
      {
        action: 'StartContainer',
        target: 'a',
        reason: 'ErrImagePull',
        message: expect.stringContaining('gone:2') as string,
      },
      { action: 'StartContainer', target: 'b' },
    ]);
    const failed = b.events.list().filter(({ reason }) => reason === 'Failed');
    expect(failed.map(({ message, object }) => [message, object.fieldPath])).toEqual([
      ['Error: ErrImagePull', 'spec.containers{a}'],
    ]);
  });

  it('are the only volumes that are not refused', () => {
    const pod = testPod({
      containers: [
        {
          volumeMounts: [
            { name: 'i', mountPath: '/i' },
            { name: 'e', mountPath: '/e' },
          ],
        },
        { name: 'b', volumeMounts: [{ name: 'i', mountPath: '/i', subPathExpr: '$(A)' }] },
      ],
      spec: { volumes: [volume('i', 'i:1'), { name: 'e', emptyDir: {} }] },
    });
    expect(unsupportedPodFeatures(pod)).toEqual([
      'spec.volumes[1]',
      'spec.containers[0].volumeMounts',
      'spec.containers[1].volumeMounts',
    ]);
  });
});
