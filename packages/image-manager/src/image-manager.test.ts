import { describe, expect, it } from 'vitest';
import { sleep } from '@rxlet/component-base';
import { createEventLog, noopEventRecorder } from '@rxlet/component-base/events';
import type { Labels, Metrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { testPod } from '@rxlet/pod-model/testing';
import { createImageManager, type ImageManagerOptions } from './image-manager.ts';
import { createTestImages, type TestImagesOptions } from './test-images.ts';

const notFound = new ServiceError(StatusCode.NotFound, 'no such image');

function setUp(options: ImageManagerOptions & TestImagesOptions = {}) {
  const clock = createVirtualClock();
  const images = createTestImages(clock, options);
  const eventLog = createEventLog(clock);
  const events: string[] = [];
  eventLog.events$.subscribe(({ type, reason, message }) => events.push(`${type} ${reason}: ${message}`));
  const measured: [string, number, Labels | undefined][] = [];
  const metrics: Metrics = {
    counter: ({ name }) => ({ inc: (labels, by = 1) => measured.push([name, by, labels]) }),
    gauge: () => ({ set: () => undefined }),
    histogram: ({ name }) => ({ observe: (value, labels) => measured.push([name, value, labels]) }),
  };
  const manager = createImageManager({ images, clock, events: eventLog, metrics }, options);
  const ensure = (
    image: string,
    request: { pullPolicy?: string | undefined; podName?: string; signal?: AbortSignal } = {},
  ): Promise<{ readonly imageRef: string }> => {
    const { pullPolicy = 'IfNotPresent', podName = 'web', signal } = request;
    const result = manager.ensureImageExists({
      pod: testPod({ name: podName, annotations: { note: 'x' } }),
      fieldPath: 'spec.containers{app}',
      image,
      pullPolicy,
      signal,
    });
    result.catch(() => undefined);
    return result;
  };
  return { clock, images, manager, eventLog, events, measured, ensure };
}

describe('ensureImageExists', () => {
  it('uses a present image', async () => {
    const { images, eventLog, ensure } = setUp({ present: ['nginx:latest'] });
    expect(await ensure('nginx')).toMatchObject({ imageRef: 'id:nginx:latest', user: { username: '' } });
    expect(images.pulls).toEqual([]);
    expect(eventLog.list()).toMatchObject([
      {
        object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-web', fieldPath: 'spec.containers{app}' },
        type: 'Normal',
        reason: 'Pulled',
        message: 'Container image "nginx" already present on machine and can be accessed by the pod',
      },
    ]);
  });

  it('pulls an absent image', async () => {
    const { clock, images, events, ensure } = setUp({ pullMs: 1234 });
    const result = ensure('nginx');
    await clock.advance(1234);
    expect(await result).toMatchObject({ imageRef: 'id:nginx:latest' });
    expect(images.pulls).toEqual(['nginx:latest']);
    expect(events).toEqual([
      'Normal Pulling: Pulling image "nginx"',
      'Normal Pulled: Successfully pulled image "nginx" in 1.234s (1.234s including waiting). Image size: 1000000 bytes.',
    ]);
  });

  it('reports the waiting time of a pull', async () => {
    const { clock, events, ensure } = setUp({ pullMs: 1000 });
    const results = [ensure('a'), ensure('b')];
    await clock.advance(2000);
    await Promise.all(results);
    expect(events.at(-1)).toBe(
      'Normal Pulled: Successfully pulled image "b" in 1s (2s including waiting). Image size: 1000000 bytes.',
    );
  });

  it('pulls with policy Always even if the image is present', async () => {
    const { images, ensure } = setUp({ present: ['nginx:1'] });
    await ensure('nginx:1', { pullPolicy: 'Always' });
    expect(images.pulls).toEqual(['nginx:1']);
  });

  it('rejects an absent image with policy Never', async () => {
    const { images, events, ensure } = setUp();
    const message = 'Container image "nginx" is not present with pull policy of Never';
    await expect(ensure('nginx', { pullPolicy: 'Never' })).rejects.toMatchObject({
      name: 'ImageError',
      reason: 'ErrImageNeverPull',
      message,
      backoffUntilMs: undefined,
    });
    expect(events).toEqual([`Warning ErrImageNeverPull: ${message}`]);
    expect(images.pulls).toEqual([]);
  });

  it('rejects an invalid image reference', async () => {
    const { images, events, ensure } = setUp();
    const message =
      'Failed to apply default image tag "nginx:": couldn\'t parse image name "nginx:": invalid reference format';
    await expect(ensure('nginx:')).rejects.toMatchObject({ reason: 'InvalidImageName', message });
    expect(events).toEqual([`Warning InspectFailed: ${message}`]);
    expect(images.pulls).toEqual([]);
  });

  it('rejects when the runtime fails to look up the image', async () => {
    const { images, events, ensure } = setUp();
    images.failStatus('nginx:1', new ServiceError(StatusCode.Internal, 'disk error'));
    const message = 'Failed to inspect image "nginx:1": rpc error: code = Internal desc = disk error';
    await expect(ensure('nginx:1')).rejects.toMatchObject({ reason: 'ImageInspectError', message });
    expect(events).toEqual([`Warning InspectFailed: ${message}`]);
  });

  it('backs off after a failure, keeps its cause, and retries', async () => {
    const { clock, images, events, ensure } = setUp();
    images.failPull('nginx:1', notFound);
    const cause = 'rpc error: code = NotFound desc = no such image';
    await expect(ensure('nginx:1')).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: cause,
      backoffUntilMs: clock.now() + 10_000,
    });
    await clock.advance(9000);
    await expect(ensure('nginx:1')).rejects.toMatchObject({
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "nginx:1": ErrImagePull: ${cause}`,
      backoffUntilMs: clock.now() + 1000,
    });
    images.failPull('nginx:1', undefined);
    await clock.advance(1000);
    expect(await ensure('nginx:1')).toMatchObject({ imageRef: 'id:nginx:1' });
    expect(events.map((event) => event.slice(0, 60))).toEqual([
      'Normal Pulling: Pulling image "nginx:1"',
      'Warning Failed: Failed to pull image "nginx:1": rpc error: c',
      'Normal BackOff: Back-off pulling image "nginx:1"',
      'Normal Pulling: Pulling image "nginx:1"',
      'Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s',
    ]);
  });

  it('backs off for exactly its delay when the wall clock is set back or forward', async () => {
    const { clock, images, ensure } = setUp();
    for (const stepMs of [-3_600_000, 3_600_000]) {
      images.failPull('nginx:1', notFound);
      await expect(ensure('nginx:1')).rejects.toMatchObject({ reason: 'ErrImagePull' });
      clock.setWallClock(clock.now() + stepMs);
      await expect(ensure('nginx:1')).rejects.toMatchObject({ backoffUntilMs: clock.now() + 10_000 });
      images.failPull('nginx:1', undefined);
      await clock.advance(10_000);
      expect(await ensure('nginx:1')).toMatchObject({ imageRef: 'id:nginx:1' });
      images.present.clear();
      await clock.advance(700_000);
    }
  });

  it('doubles the back-off up to five minutes, and only for its pod and image', async () => {
    const { clock, images, ensure } = setUp({ present: [] });
    images.failPull('nginx:1', notFound);
    const delays: number[] = [];
    for (let failures = 0; failures < 7; failures += 1) {
      const error = await ensure('nginx:1').catch((thrown: unknown) => thrown as { backoffUntilMs: number });
      const delayMs = (error as { backoffUntilMs: number }).backoffUntilMs - clock.now();
      delays.push(delayMs / 1000);
      await expect(ensure('nginx:1', { podName: 'other' })).rejects.toMatchObject({ reason: /Err|BackOff/ });
      await clock.advance(delayMs);
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
    expect(await ensure('nginx:2')).toMatchObject({ imageRef: 'id:nginx:2' });
    await clock.advance(600_001);
    await expect(ensure('nginx:1')).rejects.toMatchObject({ backoffUntilMs: clock.now() + 10_000 });
  });

  it('fails pulls beyond the permitted rate', async () => {
    const { events, ensure } = setUp({ registryPullQps: 1, registryPullBurst: 1 });
    await ensure('a');
    await expect(ensure('b')).rejects.toMatchObject({ reason: 'ErrImagePull', message: 'pull QPS exceeded' });
    expect(events.at(-1)).toBe('Warning Failed: Failed to pull image "b": pull QPS exceeded');
  });

  it('pulls an image once for all concurrent requests', async () => {
    const { clock, images, events, ensure } = setUp({ pullMs: 1000 });
    const results = [ensure('nginx', { podName: 'a' }), ensure('nginx:latest', { podName: 'b' })];
    await clock.advance(1000);
    expect(await Promise.all(results)).toEqual([{ imageRef: 'id:nginx:latest' }, { imageRef: 'id:nginx:latest' }]);
    expect(images.pulls).toEqual(['nginx:latest']);
    expect(events.filter((event) => event.includes('Successfully pulled'))).toHaveLength(2);
  });

  it('uses no pull quota for an image that was pulled during its look-up or wait', async () => {
    const clock = createVirtualClock();
    const images = createTestImages(clock, { pullMs: 500 });
    let requests = 0;
    const manager = createImageManager({
      images: {
        async imageStatus(request, options) {
          const answer = await images.imageStatus(request, options);
          // The first answers are late, and still report the image as absent.
          if (requests < 2_000) await sleep(clock, (requests += 1));
          return answer;
        },
        pullImage: (request, options) =>
          images.present.has(request.image?.image ?? '')
            ? Promise.resolve({ imageRef: 'pulled again' })
            : images.pullImage(request, options),
      },
      clock,
      events: noopEventRecorder,
    });
    const results = Promise.allSettled(
      Array.from({ length: 2_000 }, (_, index) =>
        manager.ensureImageExists({
          pod: testPod({ name: `web-${String(index)}` }),
          fieldPath: 'spec.containers{app}',
          image: 'nginx:1',
          pullPolicy: 'IfNotPresent',
        }),
      ),
    );
    await clock.advance(5_000);
    const outcomes = await results;
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBe(0);
    expect(outcomes).toContainEqual({
      status: 'fulfilled',
      value: { imageRef: 'id:nginx:1', user: expect.anything() as object },
    });
    expect(images.pulls).toEqual(['nginx:1']);
    await manager[Symbol.asyncDispose]();
  });

  it('pulls with policy Always although another request of the same turn needs no pull', async () => {
    const { clock, images, ensure } = setUp({ pullMs: 1000 });
    const results = [ensure('other'), ensure('nginx', { podName: 'a' })];
    await clock.advance(500);
    results.push(ensure('nginx', { podName: 'b', pullPolicy: 'Always' }));
    images.present.add('nginx:latest');
    await clock.advance(1500);
    await Promise.all(results);
    expect(images.pulls).toEqual(['other:latest', 'nginx:latest']);
  });

  it('lets no pull wait long for a look-up of another one that hangs', async () => {
    const clock = createVirtualClock();
    const images = createTestImages(clock);
    const manager = createImageManager({
      images: {
        // The runtime hangs with an image that it has just pulled.
        imageStatus: (request, options) =>
          images.present.has('a:1') && request.image?.image === 'a:1'
            ? new Promise<never>(() => undefined)
            : images.imageStatus(request, options),
        pullImage: (request, options) => images.pullImage(request, options),
      },
      clock,
      events: noopEventRecorder,
    });
    const started: string[] = [];
    const results = ['a:1', 'b:1'].map(async (image) => {
      const pod = testPod({ name: image.slice(0, 1) });
      const request = { pod, fieldPath: 'spec.containers{app}', image, pullPolicy: 'IfNotPresent' };
      started.push((await manager.ensureImageExists(request)).imageRef);
    });
    await clock.advance(10_000);
    await Promise.all(results);
    expect(started).toEqual(['id:a:1', 'id:b:1']);
    await manager[Symbol.asyncDispose]();
  });

  it('pulls in parallel with serializeImagePulls off, up to the limit', async () => {
    const { clock, images, ensure } = setUp({ pullMs: 1000, serializeImagePulls: false, maxParallelImagePulls: 2 });
    const results = ['a', 'b', 'c'].map((image) => ensure(image));
    await clock.advance(500);
    expect(images.running).toBe(2);
    await clock.advance(1500);
    await Promise.all(results);
    expect(images.pulls).toHaveLength(3);
  });

  it('does not count a canceled request as a failure, nor disturb the other', async () => {
    const { clock, images, events, ensure } = setUp({ pullMs: 1000 });
    const controller = new AbortController();
    const canceled = ensure('nginx:1', { signal: controller.signal });
    const other = ensure('nginx:1', { podName: 'other' });
    await clock.advance(500);
    controller.abort(new Error('the pod is gone'));
    await expect(canceled).rejects.toThrow('the pod is gone');
    await clock.advance(500);
    expect(await other).toMatchObject({ imageRef: 'id:nginx:1' });
    images.present.clear();
    const again = ensure('nginx:1');
    await clock.advance(1000);
    expect(await again).toMatchObject({ imageRef: 'id:nginx:1' });
    expect(events.filter((event) => event.startsWith('Warning'))).toEqual([]);
  });

  it('measures requests and pulls', async () => {
    const { clock, measured, ensure } = setUp({ pullMs: 2000 });
    const result = ensure('nginx');
    await clock.advance(2000);
    await result;
    await ensure('nginx');
    await ensure('nginx:').catch(() => undefined);
    const requests = 'kubelet_image_manager_ensure_image_requests_total';
    expect(measured).toEqual([
      ['kubelet_image_pull_duration_seconds', 2, { image_size_in_bytes: '0-10MB' }],
      [requests, 1, { pull_policy: 'ifnotpresent', present_locally: 'false', pull_required: 'true' }],
      [requests, 1, { pull_policy: 'ifnotpresent', present_locally: 'true', pull_required: 'false' }],
      [requests, 1, { pull_policy: 'ifnotpresent', present_locally: 'unknown', pull_required: 'unknown' }],
    ]);
  });

  it('rejects pending and later requests when it is disposed of', async () => {
    const { clock, manager, events, ensure } = setUp({ pullMs: 1000 });
    const result = ensure('nginx');
    await clock.advance(500);
    await manager[Symbol.asyncDispose]();
    await expect(result).rejects.toMatchObject({ name: 'LifetimeEnded' });
    await expect(ensure('nginx')).rejects.toMatchObject({ name: 'LifetimeEnded' });
    expect(events).toEqual(['Normal Pulling: Pulling image "nginx"']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('createImageManager', () => {
  it('rejects options that contradict each other', () => {
    expect(() => setUp({ maxParallelImagePulls: 2 })).toThrow('unless serializeImagePulls is false');
    expect(() => setUp({ maxParallelImagePulls: 0, serializeImagePulls: false })).toThrow('must be at least 1');
  });
});
