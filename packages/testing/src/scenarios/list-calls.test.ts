import { create } from '@bufbuild/protobuf';
import { StatusResponseSchema } from '@rxlet/cri-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const PODS = 110;
const pods = Array.from({ length: PODS }, (_, index) => manifestPod(`pod-${String(index)}`));

function bench(): TestNode {
  const made = createTestNode({ latencyMs: 1 });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

/** Returns the rate of calls of some RPCs over a time, in calls per second. */
async function callsPerSecond(made: TestNode, seconds: number, ...rpcs: string[]): Promise<number> {
  const count = (): number => rpcs.reduce((sum, rpc) => sum + (made.fake.calls.get(rpc as 'listContainers') ?? 0), 0);
  const before = count();
  await made.clock.advance(seconds * 1_000);
  return (count() - before) / seconds;
}
const listCalls = (made: TestNode, seconds: number): Promise<number> =>
  callsPerSecond(made, seconds, 'listPodSandbox', 'listContainers');

describe('list calls', () => {
  it('come from the relist alone while 110 pods wait for the network, whatever the number of retries', async () => {
    const made = bench();
    const conditions = [
      { type: 'RuntimeReady', status: true },
      { type: 'NetworkReady', status: false },
    ];
    made.fake.runtime.status = () => Promise.resolve(create(StatusResponseSchema, { status: { conditions } }));
    await made.start();
    made.desire(...pods);
    await made.clock.advance(10_000);
    expect(await listCalls(made, 60)).toBeLessThanOrEqual(2);
  });

  it('come from the relist alone while 110 pods run, whatever the number of syncs', async () => {
    const made = bench();
    await made.start();
    made.desire(...pods);
    await made.clock.advance(200_000);
    expect(made.running()).toHaveLength(PODS);
    // Each pod is synced six to ten times.
    expect(await listCalls(made, 600)).toBeLessThanOrEqual(0.3);
  });

  it('stay at one attempt a second while the sandboxes of a pod die as soon as they are created', async () => {
    const made = bench();
    const { runPodSandbox } = made.fake.runtime;
    made.fake.runtime.runPodSandbox = async (request, options) => {
      const answer = await runPodSandbox(request, options);
      made.clock.setTimer(5, () => {
        const isThere = made.fake.snapshot().sandboxes.some(({ id }) => id === answer.podSandboxId);
        if (isThere) made.fake.failSandbox(answer.podSandboxId);
      });
      return answer;
    };
    await made.start();
    await made.clock.advance(2_000);
    made.desire(manifestPod('web'));
    await made.clock.advance(1_000);
    expect(made.fake.calls.get('runPodSandbox')).toBeLessThanOrEqual(3);
    expect(await listCalls(made, 60)).toBeLessThanOrEqual(10);
    // As often as a kubelet, which relists once a second.
    expect(made.fake.calls.get('runPodSandbox')).toBeGreaterThan(40);
  });
});
