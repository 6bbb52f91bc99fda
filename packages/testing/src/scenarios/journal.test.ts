import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { journalOf } from '../test-support/journal-of.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

async function startNode(): Promise<TestNode> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  await node.start();
  return node;
}

it('keeps the spans of a pod that starts', async () => {
  const node = await startNode();
  node.desire(manifestPod('web'));
  await node.untilPhase('web', 'Running');
  const { spans } = await journalOf(node.agent(), 'web');
  expect(spans.map(({ kind, container, subject }) => [kind, container, subject].filter(Boolean).join(' '))).toEqual([
    'pod',
    'pod.source',
    'pod.sync',
    'cgroup.create',
    'sandbox.create',
    'image.pull app registry.example/app:1',
    'container.prepare app',
    'container.create app',
    'container.start app',
  ]);
});

it('ends the life of a removed pod, and shows it afterwards', async () => {
  const node = await startNode();
  node.desire(manifestPod('web', { terminationGracePeriodSeconds: 1 }));
  await node.untilPhase('web', 'Running');
  node.desire();
  await node.until(() => node.agent().pods.list().length === 0);
  await node.advance(5_000);
  const life = await journalOf(node.agent(), 'web');
  expect(life.endMs).toBeGreaterThan(life.startMs);
  expect(life.spans.every(({ endMs }) => endMs !== undefined)).toBe(true);
});
