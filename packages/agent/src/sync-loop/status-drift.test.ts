import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { createStatusDrift } from './status-drift.ts';

function setUp(reported: PodStatus) {
  const clock = createVirtualClock();
  const pods: Pod[] = [];
  const republished: string[] = [];
  const statusManager = {
    get: () => reported,
    republish(uid: string) {
      if (pods[0]?.metadata?.labels?.['broken'] !== undefined) throw new Error('broken');
      republished.push(uid);
    },
  };
  const drift = createStatusDrift({ clock, apiPod: () => pods[0], statusManager });
  const show = (phase: 'Running' | 'Pending'): void => {
    pods[0] = testPod({ status: { phase } });
    drift.check(podUid(pods[0]));
  };
  return { clock, drift, show, republished, pods };
}

it('publishes a status again that stays different, and once in ten seconds at most', async () => {
  const { clock, show, republished, pods, drift } = setUp({ phase: 'Running' });
  show('Running');
  await clock.advance(60_000);
  expect(republished).toEqual([]);
  show('Pending');
  show('Pending');
  await clock.advance(10_000);
  expect(republished).toEqual([podUid(pods[0]!)]);
  drift[Symbol.dispose]();
  expect(clock.pendingTimers).toBe(0);
});

it('ignores a difference that ends by itself, and a pod that is gone', async () => {
  const { clock, show, republished, pods } = setUp({ phase: 'Running' });
  show('Pending');
  await clock.advance(5_000);
  show('Running');
  await clock.advance(60_000);
  show('Pending');
  pods.pop();
  await clock.advance(60_000);
  expect(republished).toEqual([]);
});

it('survives an exception, and publishes with the next check', async () => {
  const { clock, show, republished, pods } = setUp({ phase: 'Running' });
  show('Pending');
  pods[0] = testPod({ status: { phase: 'Pending' }, labels: { broken: 'true' } });
  await clock.advance(10_000);
  expect(republished).toEqual([]);
  show('Pending');
  await clock.advance(10_000);
  expect(republished).toHaveLength(1);
});
