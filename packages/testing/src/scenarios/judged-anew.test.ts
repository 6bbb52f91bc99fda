import type { Pod, PodStatus } from '@rxlet/kube-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AdmissionHandler, admissionHandlers, contribute } from '@rxlet/agent-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

function bench(): TestNode {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}
const statusOf = (made: TestNode): PodStatus | undefined => made.agent().pods.list()[0]?.status;
const full: AdmissionHandler = { name: 'full', admit: () => ({ reason: 'OutOfcpu', message: 'no cpu left' }) };

describe('a pod that was rejected', () => {
  it('is admitted and runs when the agent starts again and the node has room', async () => {
    const made = bench();
    made.desire(manifestPod('web'));
    await made.start({ modules: [contributing({ contributions: [contribute(admissionHandlers, full)] })] });
    await made.clock.advance(60_000);
    expect(statusOf(made)).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    await made.kill();
    await made.start();
    await made.clock.advance(5_000);
    expect(made.running()).toEqual(['web/app']);
    expect(statusOf(made)).toMatchObject({ phase: 'Running' });
    expect(statusOf(made)?.reason).toBeUndefined();
  });

  it('is rejected once more while the cause lasts', async () => {
    const made = bench();
    made.desire(manifestPod('web'));
    for (let life = 0; life < 3; life += 1) {
      await made.start({ modules: [contributing({ contributions: [contribute(admissionHandlers, full)] })] });
      await made.clock.advance(60_000);
      expect(statusOf(made)).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
      const reported = made
        .agent()
        .events.list()
        .filter(({ object }) => object.kind === 'Pod');
      expect(reported).toMatchObject([{ type: 'Warning', reason: 'OutOfcpu' }]);
      await made.kill();
    }
    expect(made.fake.calls.get('runPodSandbox') ?? 0).toBe(0);
  });
});

describe('a pod that exceeded its deadline', () => {
  const limited = (activeDeadlineSeconds: number): Pod =>
    manifestPod('job', { activeDeadlineSeconds, terminationGracePeriodSeconds: 2 });

  it('fails again after a restart of the agent, since its time counts from the same start', async () => {
    const made = bench();
    made.desire(limited(30));
    await made.start();
    await made.clock.advance(60_000);
    const startTime = statusOf(made)?.startTime;
    await made.kill();
    await made.start();
    await made.clock.advance(60_000);
    expect(made.running()).toEqual([]);
    expect(statusOf(made)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded', startTime });
    expect(made.startsMs('job')).toHaveLength(1);
  });

  it('runs again after a restart of the agent with a later deadline', async () => {
    const made = bench();
    made.desire(limited(30));
    await made.start();
    await made.clock.advance(60_000);
    expect(statusOf(made)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    await made.kill();
    made.desire(limited(600));
    await made.start();
    await made.clock.advance(5_000);
    expect(made.running()).toEqual(['job/app']);
    expect(statusOf(made)?.phase).toBe('Running');
    await made.clock.advance(600_000);
    expect(made.running()).toEqual([]);
  });
});
