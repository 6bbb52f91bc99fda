import { create } from '@bufbuild/protobuf';
import { StatusResponseSchema } from '@rxlet/cri-api';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const benches: TestNode[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench[Symbol.asyncDispose]();
});

function bench(conditions: Record<string, boolean>): TestNode {
  const made = createTestNode();
  benches.push(made);
  made.fake.runtime.status = () =>
    Promise.resolve(
      create(StatusResponseSchema, {
        status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
      }),
    );
  return made;
}

describe('while the node is not ready', () => {
  it('starts only pods of the host network without a network, and the others within seconds after it is ready', async () => {
    const conditions = { RuntimeReady: true, NetworkReady: false };
    const made = bench(conditions);
    await made.start();
    made.desire(manifestPod('host', { hostNetwork: true }), manifestPod('web'));
    await made.clock.advance(30_000);
    expect(made.running()).toEqual(['host/app']);
    const event = made
      .agent()
      .events.list()
      .find(({ reason }) => reason === 'NetworkNotReady');
    expect(event).toMatchObject({
      type: 'Warning',
      message: 'network is not ready: container runtime network not ready: NetworkReady=false reason: message:',
      object: { name: 'web' },
    });
    conditions.NetworkReady = true;
    await made.clock.advance(5_000 + 1_500);
    expect(made.running()).toEqual(['host/app', 'web/app']);
  });

  it('starts nothing on a runtime that is not ready, but terminates removed pods', async () => {
    const conditions = { RuntimeReady: true, NetworkReady: true };
    const made = bench(conditions);
    await made.start();
    made.desire(manifestPod('old'));
    await made.clock.advance(1_000);
    conditions.RuntimeReady = false;
    await made.clock.advance(6_000);
    made.desire(manifestPod('new'));
    await made.clock.advance(60_000);
    expect(made.running()).toEqual([]);
    expect(made.fake.snapshot().sandboxes).toEqual([]);
    conditions.RuntimeReady = true;
    await made.clock.advance(6_500);
    expect(made.running()).toEqual(['new/app']);
  });
});

describe('debugState', () => {
  it('shows each pod, each queue and each problem, as plain JSON', async () => {
    const made = bench({ RuntimeReady: true, NetworkReady: false });
    await made.start();
    made.desire(manifestPod('host', { hostNetwork: true }), manifestPod('web'));
    await made.clock.advance(3_000);
    const state = JSON.parse(JSON.stringify(made.agent().debugState())) as Record<string, unknown>;
    expect(state).toMatchObject({
      runtime: { networkProblem: expect.stringContaining('NetworkReady=false') as string },
      sources: { ready: true, pods: 2 },
      pleg: { pods: 1, unreadablePods: [], requestedPods: 0, followingHints: true },
      queues: {
        podSteps: { running: 0, oldestAgeMs: 0 },
        admission: { depth: 0 },
        podsDue: { depth: 2 },
      },
      imagePulls: { queued: { depth: 0, oldestAgeMs: 0 } },
      pods: [
        { pod: 'host_default', state: { kind: 'syncing' }, dirty: false },
        {
          pod: 'web_default',
          state: { kind: 'syncing' },
          lastError: expect.stringContaining('network is not ready') as string,
        },
      ],
    });
  });
});
