import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { expect, it } from 'vitest';
import { initialNode } from '../initial-node.ts';
import { setNodeStatus } from '../set-node-status.ts';
import { testNodeInputs, testNodeSettings } from '../test-support.ts';
import { createStatusReporter } from './report-status.ts';

it('a Node object that was replaced gets the whole status although the watch has the old one', async () => {
  const clock = createVirtualClock({ startMs: testNodeInputs.nowMs });
  const kube = createMemoryKube();
  const { node } = setNodeStatus(initialNode(testNodeSettings), testNodeInputs);
  const old: Node = { ...node, metadata: { ...node.metadata, uid: 'old' } };
  await kube.main.create(resources.nodes, { metadata: node.metadata!, spec: node.spec! });
  const reporter = createStatusReporter(
    {
      client: kube.main,
      inputs: { read: async () => testNodeInputs },
      watched: () => old,
      setPodCidr: async () => undefined,
      record: () => undefined,
      clock,
      random: seededRandom(1),
      logger: recordingLogger(),
    },
    { nodeName: 'node1' },
  );
  const { signal } = new AbortController();
  const reported = await reporter.report(signal);
  expect(reported.status?.allocatable).toEqual(node.status?.allocatable);
  expect(kube.peek(resources.nodes, { name: 'node1' })?.status).toEqual(reported.status);
});
