import type { ImageEnsurer } from '@rxlet/agent-api/images';
import { seededRandom, sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { imageFailure } from '../testing/direct-image-ensurer.ts';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
  /** `image at second` of each request for an image. */
  readonly calls: string[];
}

/** Pulls take as many seconds as the tag; pulls of images whose name begins with `bad` fail then. */
function bench(): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  const calls: string[] = [];
  const startMs = clock.now();
  const images: ImageEnsurer = {
    async ensureImageExists({ image, signal }) {
      calls.push(`${image} ${String((clock.now() - startMs) / 1000)}`);
      await sleep(clock, Number(image.split(':')[1]) * 1000, signal);
      if (image.startsWith('bad')) throw imageFailure('ErrImagePull', `${image} is bad`);
      return { imageRef: (await fake.images.pullImage({ image: { image } })).imageRef };
    },
  };
  return {
    ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports: { images } }),
    fake,
    calls,
  };
}

const containers = (...images: string[]) => images.map((image, index) => ({ name: 'abcdef'[index]!, image }));
const startedOf = (b: Bench) =>
  b.events
    .list()
    .flatMap(({ reason, object }) => (reason === 'Started' ? [/\{(.*)\}/.exec(object.fieldPath!)![1]] : []));

describe('the images of one pod', () => {
  it('arrive one at a time, and containers start in their order', async () => {
    const b = bench();
    const pod = testPod({ containers: containers('slow:9', 'quick:1', 'medium:5') });
    const startMs = b.clock.now();
    await b.during(b.sync(pod));
    expect(b.calls).toEqual(['slow:9 0', 'quick:1 9', 'medium:5 10']);
    expect(b.clock.now() - startMs).toBe(15_000);
    expect(startedOf(b)).toEqual(['a', 'b', 'c']);
  });

  it('do not delay a container whose image is present', async () => {
    const b = bench();
    const pod = testPod({ containers: containers('quick:1', 'slow:9') });
    const syncing = b.sync(pod);
    await b.clock.advance(2000);
    expect(startedOf(b)).toEqual(['a']);
    await b.during(syncing);
    expect(startedOf(b)).toEqual(['a', 'b']);
  });

  it('fail each for their own container', async () => {
    const b = bench();
    const pod = testPod({ containers: containers('bad:3', 'good:1', 'bad:1') });
    const { results } = await b.during(b.sync(pod));
    expect(results.slice(1).map(({ target, reason, message }) => [target, reason, message])).toEqual([
      ['a', 'ErrImagePull', 'bad:3 is bad'],
      ['b', undefined, undefined],
      ['c', 'ErrImagePull', 'bad:1 is bad'],
    ]);
    expect(b.clock.now() % 60_000).toBe(5000);
  });

  it('get another request for a container with the same image only at its turn', async () => {
    const b = bench();
    await b.during(b.sync(testPod({ containers: containers('one:2', 'one:2') })));
    expect(b.calls).toEqual(['one:2 0', 'one:2 2']);
  });

  it('wait while their containers may not start in this sync', async () => {
    const b = bench();
    const pod = testPod({
      initContainers: [
        { name: 'side', image: 'side:1', restartPolicy: 'Always' },
        { name: 'i', image: 'init:1' },
      ],
      containers: containers('main:1'),
    });
    await b.during(b.sync(pod));
    expect(b.calls).toEqual(['side:1 0']);
    await b.during(b.sync(pod));
    expect(b.calls).toEqual(['side:1 0', 'init:1 1']);
  });

  it('wait for the back-off of their container', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'a', image: 'crash:0', command: ['false'] }] });
    for (let round = 0; round < 3; round++) {
      await b.during(b.sync(pod));
      await b.clock.settle();
    }
    // The first start and the first restart; the third has to wait.
    expect(b.calls).toHaveLength(2);
    expect((await b.sync(pod)).error?.failures[0]?.reason).toBe('CrashLoopBackOff');
    expect(b.calls).toHaveLength(2);
  });

  it('stop with the sync without leaks', async () => {
    const b = bench();
    const controller = new AbortController();
    const pod = testPod({ containers: containers('slow:900', 'slower:1000') });
    const syncing = b.manager.syncPod(pod, await b.status(pod), { signal: controller.signal });
    await b.clock.advance(1000);
    expect(b.clock.pendingTimers).toBe(1);
    controller.abort(new Error('enough'));
    await expect(syncing).rejects.toThrow('enough');
    expect(b.clock.pendingTimers).toBe(0);
    expect(b.eventTexts().filter((text) => text.startsWith('Failed'))).toEqual([]);
  });
});
