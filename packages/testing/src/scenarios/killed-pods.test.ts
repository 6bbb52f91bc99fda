import type { AgentCore, AgentModule, KillPodRequest } from '@rxlet/agent-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A pod that ends by SIGKILL only. */
const stubborn = (): Pod =>
  manifestPod('web', { terminationGracePeriodSeconds: 30, command: ['sh', '-c', 'trap "" TERM; sleep infinity'] });

const evicted: KillPodRequest = {
  reason: 'evicted',
  gracePeriodSeconds: 20,
  amendStatus: (status: PodStatus) => ({
    ...status,
    phase: 'Failed',
    reason: 'Evicted',
    message: 'The node was low on resource: memory.',
  }),
};

/** Starts a node with a running pod, and with a module that keeps the core. */
async function nodeWithModule(): Promise<{ readonly node: TestNode; readonly core: AgentCore }> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  let core: AgentCore | undefined;
  const evictor: AgentModule = {
    name: 'evictor',
    setup(context) {
      core = context.core;
      return undefined;
    },
  };
  node.desire(stubborn());
  await node.start({ modules: [evictor] });
  await node.advance(5_000);
  expect(node.running()).toEqual(['web/app']);
  if (core === undefined) throw new Error('the module was not set up');
  return { node, core };
}

const statusOf = (node: TestNode): PodStatus | undefined => node.agent().pods.list()[0]?.status;

/** Calls `killPod` and records how it ends. */
function kill(core: AgentCore): { readonly ended: string | undefined } {
  const outcome: { ended: string | undefined } = { ended: undefined };
  const pod = core.pods.list()[0];
  if (pod === undefined) throw new Error('no pod');
  core.killPod(pod, evicted).then(
    () => (outcome.ended = 'killed'),
    (error: unknown) => (outcome.ended = (error as { readonly reason?: string }).reason ?? String(error)),
  );
  return outcome;
}

it('a module evicts a pod: it has its grace period, fails with the reason of the module and is not started again', async () => {
  const { node, core } = await nodeWithModule();
  const outcome = kill(core);
  await node.advance(19_000);
  expect(node.running()).toEqual(['web/app']);
  expect(outcome.ended).toBeUndefined();
  await node.advance(3_000);
  expect(node.running()).toEqual([]);
  expect(outcome.ended).toBe('killed');
  await node.advance(600_000);
  expect(node.running()).toEqual([]);
  expect(statusOf(node)).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});

it('a module does not wait longer than one and a half of the grace period; the pod is stopped all the same', async () => {
  const { node, core } = await nodeWithModule();
  node.fake.setFailpoint('stopContainer', 'hang');
  const outcome = kill(core);
  await node.advance(29_000);
  expect(outcome.ended).toBeUndefined();
  await node.advance(2_000);
  expect(outcome.ended).toBe('ExceededGracePeriod');
  const events = node.agent().events.list();
  expect(events.filter(({ reason }) => reason === 'ExceededGracePeriod')).toMatchObject([
    { type: 'Warning', object: { kind: 'Pod', name: 'web' } },
  ]);
  node.fake.setFailpoint('stopContainer', 'off');
  await node.until(() => node.running().length === 0);
});
