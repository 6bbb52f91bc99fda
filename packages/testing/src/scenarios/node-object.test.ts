import { contribute } from '@rxlet/agent-api';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import type { Node } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeStatus } from '@rxlet/node-status';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

const machine = createTestMachine({
  facts: { cores: 4, memoryBytes: 8 * 1024 ** 3 },
  addresses: { hostIps: ['192.0.2.7'], defaultRouteIps: { v4: '192.0.2.7' } },
});

async function start(): Promise<TestNode> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  const drained = { contribute: () => ({ notReady: 'node is shutting down' }), name: 'shutdown' };
  await node.start({
    without: ['cgroups'],
    modules: [
      nodeStatus({ machine, settings: { labels: { disk: 'ssd' } }, reservations: { kubeReserved: { cpu: '1' } } }),
      contributing({ contributions: [contribute(nodeStatusSetters, drained)] }, 'drained'),
    ],
  });
  return node;
}

const nodeOf = (node: TestNode): Node => node.agent().debugState()['node'] as Node;

it('computes the Node object without an API server, with the contributions of modules', async () => {
  const node = await start();
  await node.advance(30_000);
  expect(nodeOf(node)).toMatchObject({
    metadata: { name: 'node1', labels: { disk: 'ssd', 'kubernetes.io/hostname': 'node1' } },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      allocatable: { cpu: '3' },
      addresses: [
        { type: 'InternalIP', address: '192.0.2.7' },
        { type: 'Hostname', address: 'node1' },
      ],
    },
  });
  expect(nodeOf(node).status?.conditions?.at(-1)).toMatchObject({ type: 'Ready', message: 'node is shutting down' });
  await node.expectNoLeaks();
});

it('decides over the admission of pods by the Node object', async () => {
  const node = await start();
  node.desire(
    manifestPod('fits', { nodeSelector: { disk: 'ssd' } }),
    manifestPod('differs', { nodeSelector: { disk: 'hdd' } }),
  );
  await node.advance(5_000);
  expect(node.running()).toEqual(['fits/app']);
});
