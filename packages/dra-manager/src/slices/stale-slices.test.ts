import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { KubeError } from '@rxlet/kube-api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStaleSlices } from './stale-slices.ts';

function createBench() {
  const clock = createVirtualClock();
  const removed: [selector: string | undefined, atMs: number][] = [];
  const startMs = clock.monotonicNow();
  let failure: Error | undefined;
  const slices = createStaleSlices({
    clock,
    random: seededRandom(1),
    logger: recordingLogger(),
    nodeName: 'node1',
    client: {
      async deleteCollection(_resource, { fieldSelector }) {
        removed.push([fieldSelector, clock.monotonicNow() - startMs]);
        if (failure !== undefined) throw failure;
      },
    },
  });
  onTestFinished(() => slices[Symbol.asyncDispose]());
  return { clock, removed, slices, fail: (error?: Error) => void (failure = error) };
}

describe('removal of ResourceSlices', () => {
  it('concerns the whole node at the start', async () => {
    const { slices, removed, clock } = createBench();
    slices.start();
    await clock.advance(600_000);
    expect(removed).toEqual([['spec.nodeName=node1', 0]]);
  });

  it('concerns a driver that has been gone for 30 seconds', async () => {
    const { slices, removed, clock } = createBench();
    slices.usabilityChanged('gpu', false);
    await clock.advance(20_000);
    // A later loss, such as the de-registration, does not begin the delay again.
    slices.usabilityChanged('gpu', false);
    await clock.advance(9_999);
    expect(removed).toEqual([]);
    await clock.advance(1);
    expect(removed).toEqual([['spec.nodeName=node1,spec.driver=gpu', 30_000]]);
    slices.usabilityChanged('gpu', true);
    slices.usabilityChanged('gpu', false);
    await clock.advance(30_000);
    expect(removed).toHaveLength(2);
  });

  it('concerns no other driver, whatever the name of the plugin', async () => {
    const { slices, removed, clock } = createBench();
    slices.usabilityChanged('gpu,spec.driver!=x', false);
    await clock.advance(30_000);
    expect(removed).toEqual([[String.raw`spec.nodeName=node1,spec.driver=gpu\,spec.driver!\=x`, 30_000]]);
  });

  it('ends when the driver comes back, also between two attempts', async () => {
    const { slices, removed, clock, fail } = createBench();
    slices.usabilityChanged('gpu', false);
    await clock.advance(29_000);
    slices.usabilityChanged('gpu', true);
    await clock.advance(600_000);
    expect(removed).toEqual([]);
    fail(new Error('connection refused'));
    slices.usabilityChanged('gpu', false);
    await clock.advance(30_500);
    expect(removed).toHaveLength(1);
    slices.usabilityChanged('gpu', true);
    await clock.advance(600_000);
    expect(removed).toHaveLength(1);
  });

  it('is retried with a back-off of up to five minutes', async () => {
    const { slices, removed, clock, fail } = createBench();
    fail(new Error('unauthorized'));
    slices.start();
    await clock.advance(3_600_000);
    const pauses = removed.slice(1).map(([, atMs], index) => atMs - removed[index]![1]);
    expect(
      pauses.slice(0, 3).every((pauseMs, index) => pauseMs >= 1_000 * 2 ** index && pauseMs <= 1_200 * 2 ** index),
    ).toBe(true);
    expect(Math.max(...pauses)).toBeGreaterThanOrEqual(300_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(360_000);
    fail(new KubeError('NotFound', 'no such resource', { code: 404 }));
    const before = removed.length;
    await clock.advance(3_600_000);
    expect(removed).toHaveLength(before + 1);
  });

  it('leaves nothing behind after disposal', async () => {
    const { slices, clock } = createBench();
    slices.usabilityChanged('gpu', false);
    await slices[Symbol.asyncDispose]();
    slices.usabilityChanged('other', false);
    expect(clock.pendingTimers).toBe(0);
  });
});
