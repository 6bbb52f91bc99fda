import { resources } from '@rxlet/kube-api/resources';
import { expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

/** Returns a cluster whose API server lists objects from a cache, and an agent that runs the pod `first`. */
async function start(): Promise<TestCluster> {
  const cluster = createTestCluster({ kube: { hasStreamingLists: false } });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  cluster.node.desire();
  await cluster.start();
  cluster.bind('first');
  await cluster.node.until(() => cluster.pod('first')?.status?.phase === 'Running', 10_000);
  return cluster;
}

/** Changes of an agent while it starts, which the cache sees. */
const CHANGES_OF_START = 20;

/** Returns the revision of a new object. Those that follow are further away than the changes of an agent that starts. */
function newRevision({ kube }: TestCluster, prefix: string): number {
  const revisions = Array.from({ length: CHANGES_OF_START }, (_, index) => {
    const name = `${prefix}-${String(index)}`;
    const { metadata } = kube.objects.create(resources.configMaps, { metadata: { name, namespace: 'default' } });
    return Number(metadata?.resourceVersion);
  });
  return revisions[0]!;
}

/** Replaces the agent while the cache of the API server has the objects of a revision, and sends later ones late. */
async function restartWithCacheOf(cluster: TestCluster, revision: number): Promise<void> {
  const { kube, node } = cluster;
  await node.kill();
  kube.setStaleness(newRevision(cluster, 'after') + CHANGES_OF_START - revision);
  kube.faults.add({
    match: { resource: 'pods', verb: 'watch' },
    times: 2,
    delayMs: 20_000,
    action: { type: 'delay' },
  });
  await cluster.start();
  await node.advance(60_000);
}

it('keeps a pod running that the cache of the API server does not have yet when the agent is restarted', async () => {
  const cluster = await start();
  const { node, bind, pod } = cluster;
  const revision = newRevision(cluster, 'before');
  bind('second');
  await node.until(() => pod('second')?.status?.phase === 'Running', 10_000);
  const before = node.fake.snapshot().containers.map(({ id }) => id);
  await restartWithCacheOf(cluster, revision);
  expect(node.running().toSorted()).toEqual(['first/app', 'second/app']);
  expect(node.fake.snapshot().containers.map(({ id }) => id)).toEqual(before);
});

it('does not run a pod again that is gone, and that the cache of the API server still has when the agent is restarted', async () => {
  const cluster = await start();
  const { kube, node, pod } = cluster;
  const revision = newRevision(cluster, 'before');
  const uid = pod('first')?.metadata?.uid;
  kube.objects.delete(resources.pods, 'first', 'default');
  await node.until(() => pod('first') === undefined, 60_000);
  const created: string[] = [];
  const { createContainer } = node.fake.runtime;
  node.fake.runtime.createContainer = (request, ...rest) => {
    created.push(request.config?.labels?.['io.kubernetes.pod.uid'] ?? '');
    return createContainer(request, ...rest);
  };
  await restartWithCacheOf(cluster, revision);
  expect(created).not.toContain(uid);
  expect(node.running()).toEqual([]);
});
