import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isMirrorPod, PodAnnotation } from '@rxlet/pod-model';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const container = { name: 'app', image: 'registry.example/app:1', command: ['sh', '-c', 'sleep 3'] };

function setUp(): TestCluster & { readonly job: Pod } {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const job = manifestPod('job', { nodeName: 'node1', restartPolicy: 'Never', containers: [container] });
  const annotations = { ...job.metadata?.annotations, [PodAnnotation.configHash]: 'job-1' };
  return { ...cluster, job: { ...job, metadata: { ...job.metadata, annotations } } };
}

it('shows a static pod in the API that ended while the API server was away, also after a restart of the agent', async () => {
  const { job, node, kube, ...cluster } = setUp();
  kube.stop();
  await cluster.start();
  node.desire(job);
  await node.until(() => node.agent().pods.list()[0]?.status?.phase === 'Succeeded', 30_000);
  await node.kill();
  kube.start();
  await cluster.start();
  await node.until(() => cluster.pod('job')?.status?.phase === 'Succeeded', 60_000);
  expect(isMirrorPod(cluster.pod('job')!)).toBe(true);
  expect(kube.requests().filter(({ method, path }) => method === 'POST' && path.endsWith('/pods'))).toHaveLength(1);
});

it('shows the end of a static pod in a mirror pod of an earlier agent', async () => {
  const { job, node, ...cluster } = setUp();
  await cluster.start();
  node.desire(job);
  await node.until(() => cluster.pod('job')?.status?.phase === 'Running', 30_000);
  await node.kill();
  await node.advance(5_000);
  await cluster.start();
  await node.until(() => cluster.pod('job')?.status?.phase === 'Succeeded', 30_000);
});

it('replaces the mirror pod of a changed static pod although its deletion conflicts once', async () => {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { node, kube } = cluster;
  const version = (number: number): Pod => {
    const pod = manifestPod('web', { nodeName: 'node1' }, number);
    const annotations = { ...pod.metadata?.annotations, [PodAnnotation.configHash]: `web-${String(number)}` };
    return { ...pod, metadata: { ...pod.metadata, annotations } };
  };
  const mirrored = (): string | undefined => cluster.pod('web')?.metadata?.annotations?.[PodAnnotation.configMirror];
  await cluster.start();
  node.desire(version(1));
  await node.until(() => mirrored() === 'web-1', 30_000);
  kube.faults.add({
    match: { resource: 'pods', verb: 'delete' },
    times: 1,
    action: { type: 'error', reason: 'Conflict' },
  });
  node.desire(version(2));
  await node.until(() => mirrored() === 'web-2', 120_000);
});

it('replaces the mirror pod of an earlier version that is seen only after its static pod has ended', async () => {
  const { job, node, kube, pod, ...cluster } = setUp();
  const version = (number: number): Pod => {
    const web = manifestPod('job', { nodeName: 'node1', terminationGracePeriodSeconds: 1 }, number);
    const annotations = { ...web.metadata?.annotations, [PodAnnotation.configHash]: `web-${String(number)}` };
    return { ...web, metadata: { ...web.metadata, annotations } };
  };
  const mirrored = (): string | undefined => pod('job')?.metadata?.annotations?.[PodAnnotation.configMirror];
  await cluster.start();
  node.desire(version(1));
  await node.until(() => mirrored() === 'web-1', 30_000);
  kube.freezeWatches();
  node.desire(version(2));
  await node.until(() => mirrored() === 'web-2', 30_000);
  node.desire(job);
  await node.until(() => node.agent().pods.get(job.metadata?.uid ?? '')?.status?.phase === 'Succeeded', 30_000);
  expect(mirrored()).toBe('web-2');
  kube.cutWatches();
  await node.until(() => mirrored() === 'job-1' && pod('job')?.status?.phase === 'Succeeded', 30_000);
});

it('does not create the mirror pod of an ended static pod again that a user deletes, until the next agent', async () => {
  const { job, node, kube, pod, ...cluster } = setUp();
  await cluster.start();
  node.desire(job);
  await node.until(() => pod('job')?.status?.phase === 'Succeeded', 30_000);
  await node.advance(5_000);
  kube.objects.delete(resources.pods, 'job', 'default', 0);
  await node.advance(120_000);
  expect(pod('job')).toBeUndefined();
  await node.kill();
  await cluster.start();
  await node.until(() => pod('job')?.status?.phase === 'Succeeded', 30_000);
});
