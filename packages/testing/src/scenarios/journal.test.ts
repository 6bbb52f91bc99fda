import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { Life } from '@rxlet/journal/model';
import { lifeProblems } from '@rxlet/journal/testing';
import { getEndpoint, journalOf } from '../test-support/journal-of.ts';
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

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'keeps one life of each pod, whose spans nest, when the agent is killed at a random moment (seed %i)',
  async (seed) => {
    const node = createTestNode({ seed });
    onTestFinished(() => node[Symbol.asyncDispose]());
    const names = ['one', 'two', 'three'];
    for (let round = 0; round < 4; round += 1) {
      await node.start();
      // One of the pods is replaced or missing in each round.
      const absent = Math.floor(node.random.next() * 4);
      node.desire(
        ...names.filter((_, index) => index !== absent).map((name) => manifestPod(name, {}, 1 + (round % 2))),
      );
      await node.killAtCall(1 + Math.floor(node.random.next() * 120), 20_000);
    }
    await node.start();
    node.desire(...names.map((name) => manifestPod(name)));
    await node.until(() => node.running().length === names.length);
    // The predecessors end, and housekeeping ends their lives.
    await node.advance(60_000);
    const { items } = (await getEndpoint(node.agent(), 'journal')) as { items: readonly Omit<Life, 'spans'>[] };
    const lives = await Promise.all(names.map(async (name) => journalOf(node.agent(), name)));
    expect(lifeProblems(lives)).toEqual([]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    const open = items.filter(({ endMs }) => endMs === undefined).map(({ name }) => name);
    expect(open.toSorted()).toEqual(names.toSorted());
  },
);
