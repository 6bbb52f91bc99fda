import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import type { Service } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { offlineCache } from '@rxlet/offline-cache';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const { pods, configMaps, secrets } = resources;
const namespace = 'default';
const web = {
  containers: [
    {
      ...manifestPod('web').spec!.containers[0]!,
      env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'password', key: 'key' } } }],
      volumeMounts: [{ name: 'settings', mountPath: '/settings' }],
    },
  ],
  volumes: [{ name: 'settings', configMap: { name: 'settings', defaultMode: 0o644 } }],
};

const start = (cluster: TestCluster): Promise<void> => cluster.start({ connect: offlineCache });

/** Creates a cluster whose pod `web` runs and is in the cache. */
async function setUp(): Promise<TestCluster> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { node, kube, bind } = cluster;
  const data = { key: Buffer.from('secret').toString('base64') };
  kube.objects.create(secrets, { metadata: { name: 'password', namespace }, data });
  kube.objects.create(configMaps, { metadata: { name: 'settings', namespace }, data: { key: 'one' } });
  const service: Service = {
    metadata: { name: 'shop', namespace },
    spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] },
  };
  kube.objects.create(resources.services, service as never);
  node.desire();
  await start(cluster);
  bind('web', web);
  await node.until(() => node.running().includes('web/app'), 10_000);
  await node.advance(10_000);
  return cluster;
}

/** Ends everything that runs on the node, and the agent. */
async function reboot({ node }: TestCluster): Promise<void> {
  await node.kill();
  for (const { id, state } of node.fake.snapshot().containers)
    if (state === ContainerState.CONTAINER_RUNNING) node.fake.exitContainer(id, 255);
  for (const { id, state } of node.fake.snapshot().sandboxes)
    if (state === PodSandboxState.SANDBOX_READY) node.fake.failSandbox(id);
}

it('starts the last known pods with their objects after a reboot without the API server, and reports them afterwards', async () => {
  const cluster = await setUp();
  const { node, kube } = cluster;
  kube.stop();
  await reboot(cluster);
  const static1 = manifestPod('static', { nodeName: 'node1' });
  node.desire(static1);
  await start(cluster);
  await node.advance(5_000);
  // Static pods do not wait.
  expect(node.running()).toEqual(['static/app']);
  await node.until(() => node.running().includes('web/app'), 30_000);
  const path = `/root/pods/${cluster.pod('web')!.metadata!.uid!}/volumes/kubernetes.io~configmap/settings/key`;
  expect(node.files.text(path)).toBe('one');
  const { length } = node.instances('web');
  kube.objects.merge(configMaps, 'settings', namespace, { data: { key: 'two' } });
  kube.start();
  await node.until(() => cluster.pod('web')?.status?.containerStatuses?.[0]?.restartCount === 1, 120_000);
  await node.until(() => node.files.text(path) === 'two', 120_000);
  expect(node.instances('web')).toHaveLength(length);
});

it('ends pods that were deleted meanwhile, and starts those that came', async () => {
  const cluster = await setUp();
  const { node, kube, bind } = cluster;
  kube.stop();
  await reboot(cluster);
  await start(cluster);
  await node.until(() => node.running().includes('web/app'), 30_000);
  kube.objects.delete(pods, 'web', namespace, 0);
  bind('new');
  kube.start();
  await node.until(() => node.running().join() === 'new/app', 120_000);
  await node.advance(60_000);
  await node.stop();
  // The cache has followed.
  kube.stop();
  await start(cluster);
  await node.advance(60_000);
  expect(node.running()).toEqual(['new/app']);
});

it('terminates no pod that the cache does not have, before the API server was asked', async () => {
  const cluster = await setUp();
  const { node, kube, bind } = cluster;
  bind('new');
  await node.until(() => node.running().includes('new/app'), 10_000);
  // Killed before the cache has it.
  await node.kill();
  kube.stop();
  const { length } = node.instances('new');
  await start(cluster);
  await node.advance(120_000);
  expect(node.running()).toEqual(['new/app', 'web/app']);
  kube.start();
  await node.advance(120_000);
  expect(node.running()).toEqual(['new/app', 'web/app']);
  expect(node.instances('new')).toHaveLength(length);
});

it('does not use the cache while the API server answers', async () => {
  const cluster = await setUp();
  const { node, kube } = cluster;
  await node.stop();
  kube.objects.delete(pods, 'web', namespace, 0);
  await start(cluster);
  await node.until(() => node.running().length === 0, 10_000);
  expect(node.logger.lines.filter(({ message }) => message.includes('last known'))).toEqual([]);
});

it('waits for the API server with a cache that cannot be trusted', async () => {
  const cluster = await setUp();
  const { node, kube } = cluster;
  kube.stop();
  await reboot(cluster);
  node.files.put('/root/offline-cache/objects', 'something else');
  await start(cluster);
  await node.advance(60_000);
  expect(node.running()).toEqual([]);
  kube.start();
  await node.until(() => node.running().includes('web/app'), 60_000);
});
