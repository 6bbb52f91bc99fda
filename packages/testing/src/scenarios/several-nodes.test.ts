import { resources } from '@rxlet/kube-api/resources';
import { expect, it, onTestFinished } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';

const { pods } = resources;

async function start() {
  const first = createTestCluster();
  const second = first.addNode({ name: 'node2' });
  onTestFinished(async () => {
    await second[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });
  for (const cluster of [first, second]) {
    cluster.node.desire();
    await cluster.start();
  }
  return { first, second, kube: first.kube };
}

it('runs each pod on the node that it is bound to', async () => {
  const { first, second } = await start();
  first.bind('web');
  second.bind('db');
  await first.untilPhase('web', 'Running');
  await first.untilPhase('db', 'Running');
  expect([first.running(), second.running()]).toEqual([['web/app'], ['db/app']]);
});

it('runs a pod on another node while the one that is cut from the API server still runs the pod that had the name', async () => {
  const { first, second, kube } = await start();
  first.bind('web');
  await first.untilPhase('web', 'Running');
  first.isConnected = false;
  kube.objects.delete(pods, 'web', 'default', 0);
  const { metadata } = second.bind('web');
  await second.untilPhase('web', 'Running');
  await first.advance(60_000);
  expect([first.running(), second.running()]).toEqual([['web/app'], ['web/app']]);
  first.isConnected = true;
  await first.until(() => first.running().length === 0, 60_000);
  await first.advance(60_000);
  expect(second.running()).toEqual(['web/app']);
  expect(first.pod('web')).toMatchObject({ metadata: { uid: metadata?.uid }, status: { phase: 'Running' } });
});
