import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingMetrics, type RecordingMetrics } from '@rxlet/component-base/testing';
import { type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { ensureImageVolumes, imagesOf } from './image-volumes.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
  readonly metrics: RecordingMetrics;
  readonly runtime: RuntimeService;
}

function bench(): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime(
    { clock, random: seededRandom(2), logs: createMemoryLogs() },
    { missingImages: ['gone:1', 'gone:2'], runtimeHandlers: ['kata'] },
  );
  const options = { runtimeHandler: () => 'kata' };
  const metrics = recordingMetrics();
  const runtime = { ...fake.runtime };
  const made = createManagerBench({ clock, runtime, images: fake.images, ports: { metrics }, options });
  return { ...made, fake, metrics, runtime };
}

const volume = (name: string, reference: string) => ({ name, image: { reference } });

describe('image volumes', () => {
  it('reach the container as mounts of the runtime', async () => {
    const b = bench();
    const pod = testPod({
      containers: [{ volumeMounts: [{ name: 'model', mountPath: '/model', subPath: 'weights' }] }],
      annotations: { team: 'a' },
      spec: { volumes: [volume('model', 'model:7')] },
    });
    expect((await b.sync(pod)).error).toBeUndefined();
    const { mounts } = b.fake.snapshot().containers[0]!;
    const { image: model } = await b.fake.images.imageStatus({ image: { image: 'model:7' } });
    expect(mounts.find(({ containerPath }) => containerPath === '/model')).toMatchObject({
      image: { image: model!.id, userSpecifiedImage: 'model:7', annotations: { team: 'a' }, runtimeHandler: 'kata' },
      imageSubPath: 'weights',
      hostPath: '',
      readonly: true,
    });
  });

  it('share the annotations of the pod: there may be thousands of both', async () => {
    const ports = { images: { ensureImageExists: async () => ({ imageRef: 'sha' }) }, runtimeHandler: async () => '' };
    const pod = testPod({ annotations: { team: 'a' }, spec: { volumes: [volume('a', 'a:1'), volume('b', 'b:1')] } });
    const run = { ports, pod } as unknown as Parameters<typeof ensureImageVolumes>[0];
    const sandbox = { config: {} } as unknown as Parameters<typeof ensureImageVolumes>[1];
    const [a, b] = imagesOf(await ensureImageVolumes(run, sandbox))!.values();
    expect(a?.annotations).toEqual({ team: 'a' });
    expect(a?.annotations).toBe(b?.annotations);
  });

  it('keep a container from starting when no runtime takes as many annotations', async () => {
    const b = bench();
    const names = Array.from({ length: 2_000 }, (_none, index) => `v${String(index)}`);
    const pod = testPod({
      containers: [{ volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) }],
      annotations: Object.fromEntries(Array.from({ length: 1_000 }, (_none, index) => [`a${String(index)}`, 'value'])),
      spec: { volumes: names.map((name) => volume(name, 'model:7')) },
    });
    const { results } = await b.sync(pod);
    const message = 'the annotations of the pod in the mounts of image volumes have more than 16777216 bytes';
    expect(results.at(-1)).toMatchObject({ reason: 'CreateContainerConfigError', message });
    expect(b.fake.snapshot().containers).toEqual([]);
  });

  it('keep only containers that mount them from starting when they are missing', async () => {
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

  it('count in the metrics for each container that mounts them, as do the failures of the runtime to mount them', async () => {
    const b = bench();
    const mounts = ['fine', 'other'].map((name) => ({ name, mountPath: `/${name}` }));
    const { createContainer } = b.fake.runtime;
    Object.assign(b.runtime, {
      createContainer: (...call: Parameters<typeof createContainer>) =>
        call[0].config?.metadata?.name === 'b'
          ? Promise.reject(new ServiceError(StatusCode.Unknown, 'ImageVolumeMountFailed: no such sub path'))
          : createContainer(...call),
    });
    const pod = testPod({
      containers: [{ name: 'a', volumeMounts: mounts }, { name: 'b', volumeMounts: mounts.slice(1) }, { name: 'c' }],
      spec: { volumes: [volume('fine', 'fine:1'), volume('other', 'other:1')] },
    });
    await b.sync(pod);
    const count = (name: string) => b.metrics.values.get(`kubelet_image_volume_${name}`);
    expect([count('requested_total'), count('mounted_succeed_total'), count('mounted_errors_total')]).toEqual([
      3, 2, 1,
    ]);
  });
});
