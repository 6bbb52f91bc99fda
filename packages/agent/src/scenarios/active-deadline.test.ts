import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentBench, createAgentBench, manifestPod } from '../test-support/agent-bench.ts';

const bench = (): AgentBench => {
  const made = createAgentBench();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
};
const statusOf = (made: AgentBench): Pod['status'] => made.agent().pods.list()[0]?.status;
const limited = (): Pod => manifestPod('job', { activeDeadlineSeconds: 30, terminationGracePeriodSeconds: 2 });

describe('a pod that may run for 30 s', () => {
  it('is ended then, says why, and is not started again', async () => {
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
    const told = made
      .agent()
      .events.list()
      .filter(({ reason }) => reason === 'DeadlineExceeded');
    expect(told).toMatchObject([{ type: 'Normal', object: { kind: 'Pod', name: 'job' } }]);
  });

  it('has no more time because the agent was started again', async () => {
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

  it('that ended before keeps its own end', async () => {
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
