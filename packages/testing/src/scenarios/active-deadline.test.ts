import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const bench = (): TestNode => {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
};
const statusOf = (made: TestNode): Pod['status'] => made.agent().pods.list()[0]?.status;
const limited = (): Pod => manifestPod('job', { activeDeadlineSeconds: 30, terminationGracePeriodSeconds: 2 });

describe('a pod that may run for 30 s', () => {
  it('is terminated then, with the reason, and is not started again', async () => {
    const made = bench();
    await made.start();
    made.desire(limited());
    await made.clock.advance(29_000);
    expect(made.running()).toEqual(['job/app']);
    expect(statusOf(made)?.phase).toBe('Running');
    await made.clock.advance(4_000);
    expect(made.running()).toEqual([]);
    expect(statusOf(made)).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    await made.clock.advance(600_000);
    expect(made.running()).toEqual([]);
    const reported = made
      .agent()
      .events.list()
      .filter(({ reason }) => reason === 'DeadlineExceeded');
    expect(reported).toMatchObject([{ type: 'Normal', object: { kind: 'Pod', name: 'job' } }]);
  });

  it('gets no more time from a restart of the agent', async () => {
    const made = bench();
    await made.start();
    made.desire(limited());
    await made.clock.advance(20_000);
    await made.kill();
    await made.clock.advance(5_000);
    await made.start();
    await made.clock.advance(4_000);
    expect(made.running()).toEqual(['job/app']);
    await made.clock.advance(4_000);
    expect(made.running()).toEqual([]);
    expect(statusOf(made)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('keeps its own end when it ended before the deadline', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('job', { activeDeadlineSeconds: 30, restartPolicy: 'Never', command: ['sh', '-c', 'sleep 3'] }),
    );
    await made.clock.advance(120_000);
    expect(statusOf(made)?.phase).toBe('Succeeded');
    expect(statusOf(made)?.reason).toBeUndefined();
    await made.kill();
    await made.start();
    await made.clock.advance(120_000);
    expect(statusOf(made)?.phase).toBe('Succeeded');
    expect(
      made
        .agent()
        .events.list()
        .map(({ reason }) => reason),
    ).not.toContain('DeadlineExceeded');
  });
});
