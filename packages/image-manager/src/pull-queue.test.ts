import type { ImagePull } from '@rxlet/agent-api/images';
import { describe, expect, it } from 'vitest';
import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createPullQueue } from './pull-queue.ts';

const request = { podUid: '1', fieldPath: 'spec.containers{web}' };

function setUp(maxParallel: number) {
  const clock = createVirtualClock();
  const queue = createPullQueue<string>(clock, maxParallel);
  const log: string[] = [];
  const pull = (image: string, signal?: AbortSignal): Promise<string> => {
    const run = async (runSignal: AbortSignal): Promise<string> => {
      log.push(`start ${image}`);
      await sleep(clock, 1000, runSignal);
      log.push(`end ${image}`);
      return `ref of ${image}`;
    };
    const result = queue.pull({ key: image, image, request, run }, signal);
    result.catch(() => undefined);
    return result;
  };
  const states: string[][] = [];
  queue.pulls.value$.subscribe((pulls: readonly ImagePull[]) =>
    states.push(
      pulls.map(
        ({ image, phase, requests, position }) => `${image} ${phase} ${String(requests.length)} #${String(position)}`,
      ),
    ),
  );
  return { clock, queue, log, pull, states };
}

describe('createPullQueue', () => {
  it('pulls in order of arrival, as many at the same time as allowed', async () => {
    const { clock, queue, log, pull } = setUp(2);
    await using _ = queue;
    const all = Promise.all(['a', 'b', 'c', 'd'].map((image) => pull(image)));
    await clock.advance(999);
    expect(log).toEqual(['start a', 'start b']);
    await clock.advance(1);
    expect(log).toEqual(['start a', 'start b', 'end a', 'start c', 'end b', 'start d']);
    await clock.advance(1000);
    expect(await all).toEqual(['ref of a', 'ref of b', 'ref of c', 'ref of d']);
  });

  it('shows queued and running pulls', async () => {
    const { clock, queue, pull, states } = setUp(1);
    await using _ = queue;
    void pull('a');
    void pull('b');
    void pull('b');
    void pull('c');
    await clock.settle();
    expect(states.at(-1)).toEqual(['a pulling 1 #0', 'b queued 2 #1', 'c queued 1 #2']);
    await clock.advance(1000);
    expect(states.at(-1)).toEqual(['b pulling 2 #0', 'c queued 1 #1']);
    await clock.advance(2000);
    expect(states.at(-1)).toEqual([]);
  });

  it('shares one pull among equal ones, queued or running', async () => {
    const { clock, queue, log, pull } = setUp(1);
    await using _ = queue;
    const results = [pull('a'), pull('b'), pull('b')];
    await clock.advance(500);
    results.push(pull('a'));
    await clock.advance(1500);
    expect(await Promise.all(results)).toEqual(['ref of a', 'ref of b', 'ref of b', 'ref of a']);
    expect(log).toEqual(['start a', 'end a', 'start b', 'end b']);
  });

  it('continues for the other callers when one cancels', async () => {
    const { clock, queue, log, pull } = setUp(1);
    await using _ = queue;
    const controller = new AbortController();
    const first = pull('a', controller.signal);
    const second = pull('a');
    await clock.advance(500);
    controller.abort(new Error('the pod is gone'));
    await expect(first).rejects.toThrow('the pod is gone');
    await clock.advance(500);
    expect(await second).toBe('ref of a');
    expect(log).toEqual(['start a', 'end a']);
  });

  it('cancels a pull whose last caller leaves, and frees its permit', async () => {
    const { clock, queue, log, pull } = setUp(1);
    await using _ = queue;
    const controller = new AbortController();
    const abandoned = pull('a', controller.signal);
    const queued = pull('b', controller.signal);
    const next = pull('c');
    await clock.advance(500);
    controller.abort(new Error('the pod is gone'));
    await expect(abandoned).rejects.toThrow('the pod is gone');
    await expect(queued).rejects.toThrow('the pod is gone');
    await clock.settle();
    const again = pull('a');
    await clock.advance(2000);
    expect(await next).toBe('ref of c');
    expect(await again).toBe('ref of a');
    expect(log).toEqual(['start a', 'start c', 'end c', 'start a', 'end a']);
  });

  it('frees the permit of a canceled pull that ignores its signal', async () => {
    const { clock, queue, pull } = setUp(1);
    await using _ = queue;
    const controller = new AbortController();
    const deaf = queue.pull(
      { key: 'deaf', image: 'deaf', request, run: () => new Promise(() => undefined) },
      controller.signal,
    );
    deaf.catch(() => undefined);
    const next = pull('a');
    await clock.settle();
    controller.abort(new Error('the pod is gone'));
    await clock.advance(1000);
    expect(await next).toBe('ref of a');
  });

  it('shares a failure, and forgets it', async () => {
    const { clock, queue } = setUp(1);
    await using _ = queue;
    const failing = { key: 'a', image: 'a', request, run: () => Promise.reject(new Error('no such image')) };
    const results = await Promise.allSettled([queue.pull(failing), queue.pull(failing)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await clock.settle();
    expect(await queue.pull({ ...failing, run: () => Promise.resolve('ref of a') })).toBe('ref of a');
  });

  it('ends all pulls when it is disposed of', async () => {
    const { clock, queue, pull } = setUp(1);
    let completed = false;
    queue.pulls.value$.subscribe({ complete: () => (completed = true) });
    const results = [pull('a'), pull('b')];
    await clock.advance(500);
    await queue[Symbol.asyncDispose]();
    for (const result of results) await expect(result).rejects.toMatchObject({ name: 'LifetimeEnded' });
    await expect(pull('c')).rejects.toMatchObject({ name: 'LifetimeEnded' });
    expect(completed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
