import type { FakeKube } from '@rxlet/fake-kube';
import type { Event, Node, Pod } from '@rxlet/kube-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const nodes = { group: '', plural: 'nodes' };
const pods = { group: '', plural: 'pods' };
const events = { group: '', plural: 'events' };
const secrets = { group: '', plural: 'secrets' };
const configMaps = { group: '', plural: 'configmaps' };

async function start(): Promise<TestCluster> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { node, kube } = cluster;
  node.desire();
  await cluster.start();
  await node.until(() => kube.objects.get(nodes, 'node1') !== undefined, 1_000);
  return cluster;
}

const podOf = (kube: FakeKube, name: string): Pod | undefined =>
  kube.objects.get(pods, name, 'default') as Pod | undefined;

const requestsOf = (kube: FakeKube, method: string, path: RegExp): string[] =>
  kube
    .requests()
    .filter((request) => request.method === method && path.test(request.path))
    .map((request) => request.path);

it('registers the node, which becomes ready, and runs the pods that are bound to it', async () => {
  const { node, kube, bind } = await start();
  await node.until(
    () => (kube.objects.get(nodes, 'node1') as Node).status?.conditions?.at(-1)?.status === 'True',
    2_000,
  );
  bind('web');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 5_000);
  expect(node.running()).toEqual(['web/app']);
  const { status } = podOf(kube, 'web')!;
  expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`).sort()).toEqual([
    'ContainersReady=True',
    'Initialized=True',
    'PodReadyToStartContainers=True',
    'PodScheduled=True',
    'Ready=True',
  ]);
  expect(status?.observedGeneration).toBe(1);
  await node.advance(2_000);
  const reasons = kube.objects.list(events, 'default').map((event) => (event as unknown as Event).reason);
  expect(reasons).toEqual(expect.arrayContaining(['NodeHasSufficientMemory', 'Pulled', 'Created', 'Started']));
  await node.stop();
  expect(kube.cutWatches()).toBe(0);
});

it('ends a pod whose deletion was requested, reports its end, and then deletes it', async () => {
  const { node, kube, bind } = await start();
  bind('web');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 10_000);
  const uid = podOf(kube, 'web')?.metadata?.uid;
  kube.objects.delete(pods, 'web', 'default');
  await node.until(() => podOf(kube, 'web') === undefined, 30_000);
  expect(node.running()).toEqual([]);
  const deletions = kube.requests().filter(({ method, path }) => method === 'DELETE' && path.endsWith('/pods/web'));
  expect(deletions.map(({ body }) => JSON.parse(body ?? '') as object)).toMatchObject([
    { gracePeriodSeconds: 0, preconditions: { uid } },
  ]);
  await node.advance(10_000);
  expect(node.agent().pods.list()).toEqual([]);
});

it('stops a pod that the API server has removed by force', async () => {
  const { node, kube, bind } = await start();
  bind('web');
  await node.until(() => node.running().length === 1, 10_000);
  kube.objects.delete(pods, 'web', 'default', 0);
  await node.until(() => node.running().length === 0, 10_000);
  await node.advance(20_000);
  expect(requestsOf(kube, 'DELETE', /pods/)).toEqual([]);
});

it('shows a static pod as a mirror pod, which comes back when it is deleted and goes with the pod', async () => {
  const { node, kube } = await start();
  const pod = manifestPod('static', { nodeName: 'node1' });
  const annotations = { 'kubernetes.io/config.hash': 'h1' };
  node.desire({ ...pod, metadata: { ...pod.metadata, annotations } });
  await node.until(() => podOf(kube, 'static')?.status?.phase === 'Running', 100_000);
  const first = podOf(kube, 'static')!.metadata!;
  expect(first.annotations).toMatchObject({ 'kubernetes.io/config.mirror': 'h1' });
  kube.objects.delete(pods, 'static', 'default');
  await node.until(() => podOf(kube, 'static')?.metadata?.uid !== first.uid, 100_000);
  await node.until(() => podOf(kube, 'static')?.status?.phase === 'Running', 100_000);
  expect(node.instances('static')).toHaveLength(1);
  node.desire();
  await node.until(() => podOf(kube, 'static') === undefined, 100_000);
  expect(node.running()).toEqual([]);
});

it('gives containers the values of ConfigMaps and Secrets, also of those that come later', async () => {
  const { node, kube, bind } = await start();
  kube.objects.create(configMaps, { metadata: { name: 'cm', namespace: 'default' }, data: { key: 'one' } });
  const env = [
    { name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'key' } } },
    { name: 'B', valueFrom: { secretKeyRef: { name: 'sec', key: 'key' } } },
  ];
  const [container] = manifestPod('web').spec!.containers;
  bind('web', { containers: [{ ...container!, env }] });
  await node.advance(20_000);
  expect(podOf(kube, 'web')?.status?.containerStatuses?.[0]?.state?.waiting).toMatchObject({
    reason: 'CreateContainerConfigError',
    message: 'secret "sec" not found',
  });
  const data = { key: Buffer.from('two').toString('base64') };
  kube.objects.create(secrets, { metadata: { name: 'sec', namespace: 'default' }, data });
  await node.until(() => node.running().length === 1, 120_000);
});

it('mounts files of the API server, which follow it, tokens and the persistent volumes of claims', async () => {
  const { node, kube, bind } = await start();
  const namespace = 'default';
  kube.objects.create({ group: '', plural: 'serviceaccounts' }, { metadata: { name: 'builder', namespace } });
  kube.objects.create(configMaps, { metadata: { name: 'cm', namespace }, data: { key: 'one' } });
  const [container] = manifestPod('web').spec!.containers;
  const names = ['config', 'token', 'data'];
  bind('web', {
    serviceAccountName: 'builder',
    containers: [{ ...container!, volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) }],
    volumes: [
      { name: 'config', configMap: { name: 'cm', defaultMode: 0o644 } },
      { name: 'token', projected: { defaultMode: 0o600, sources: [{ serviceAccountToken: { path: 'token' } }] } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ],
  });
  await node.advance(10_000);
  const warnings = kube.objects.list(events) as unknown as readonly Event[];
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('failed to process volumes=[data]: error processing PVC default/data: failed to fetch PVC'),
  );
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace } };
  const { uid } = kube.objects.apply({ ...claim, spec: { volumeName: 'pv1' }, status: { phase: 'Bound' } }).metadata;
  const nfs = { server: 'server', path: '/x' };
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv1' },
    spec: { nfs, claimRef: { uid, name: 'data', namespace } },
  });
  await node.until(() => node.running().length === 1, 120_000);
  const mountedAt = (path: string): string =>
    node.instances('web')[0]!.mounts.find(({ containerPath }) => containerPath === path)!.hostPath;
  expect(node.files.text(`${mountedAt('/token')}/token`)).toMatch(/^ey|\./);
  expect(node.mounter.requests.find(({ fsType }) => fsType === 'nfs')).toMatchObject({ source: 'server:/x' });
  kube.objects.merge(configMaps, 'cm', namespace, { data: { key: 'two' } });
  await node.until(() => node.files.text(`${mountedAt('/config')}/key`) === 'two', 5_000);
});

it('keeps pods running over an outage of the API server, and reports afterwards what happened', async () => {
  const { node, kube, bind } = await start();
  const { containers } = manifestPod('job').spec!;
  bind('web');
  bind('job', { restartPolicy: 'Never', containers });
  await node.until(() => node.running().length === 2, 10_000);
  await node.advance(2_000);
  kube.stop();
  node.fake.exitContainer(node.instances('job')[0]!.id, 0);
  await node.advance(120_000);
  expect(node.running()).toEqual(['web/app']);
  expect(podOf(kube, 'job')?.status?.phase).toBe('Running');
  kube.start();
  await node.until(() => podOf(kube, 'job')?.status?.phase === 'Succeeded', 30_000);
  expect(node.instances('web')).toHaveLength(1);
});

it('keeps its pods over a restart of the agent', async () => {
  const { node, kube, bind, start: restart } = await start();
  bind('web');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 10_000);
  await node.kill();
  await restart();
  await node.advance(60_000);
  expect(node.running()).toEqual(['web/app']);
  expect(node.instances('web')).toHaveLength(1);
});

it('reports a rejected pod', async () => {
  const { node, kube, bind } = await start();
  bind('odd', { nodeSelector: { disk: 'ssd' } });
  await node.until(() => podOf(kube, 'odd')?.status?.phase === 'Failed', 10_000);
  expect(podOf(kube, 'odd')?.status).toMatchObject({ reason: 'NodeAffinity' });
  kube.objects.delete(pods, 'odd', 'default');
  await node.until(() => podOf(kube, 'odd') === undefined, 30_000);
});

it('restores a status that another writer has overwritten', async () => {
  const { node, kube, bind } = await start();
  bind('web');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 10_000);
  await node.advance(5_000);
  const pod = podOf(kube, 'web')!;
  kube.objects.merge(pods, 'web', 'default', { status: { phase: 'Pending', podIP: '192.0.2.9' } }, 'status');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 15_000);
  expect(podOf(kube, 'web')?.status?.podIP).toBe(pod.status?.podIP);
});

it('restores a status that another writer has overwritten while the API server was away, together with a label', async () => {
  const { node, kube, bind } = await start();
  bind('web');
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 10_000);
  await node.advance(5_000);
  kube.stop();
  kube.objects.merge(pods, 'web', 'default', { metadata: { labels: { a: 'b' } } });
  kube.objects.merge(pods, 'web', 'default', { status: { phase: 'Pending' } }, 'status');
  kube.compact();
  kube.start();
  await node.until(() => podOf(kube, 'web')?.status?.phase === 'Running', 100_000);
});

it('reports what became of a static pod while the API server was away, and restores the status of its mirror pod', async () => {
  const { node, kube } = await start();
  kube.stop();
  const pod = manifestPod('job', { nodeName: 'node1', restartPolicy: 'Never' });
  node.desire({ ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.hash': 'h1' } } });
  await node.until(() => node.running().length === 1, 10_000);
  node.fake.exitContainer(node.instances('job')[0]!.id, 0);
  await node.advance(5_000);
  kube.start();
  await node.until(() => podOf(kube, 'job')?.status?.phase === 'Succeeded', 100_000);
  kube.objects.merge(pods, 'job', 'default', { status: { phase: 'Pending' } }, 'status');
  await node.until(() => podOf(kube, 'job')?.status?.phase === 'Succeeded', 15_000);
});

it('runs a pod with a resource that an operator counts in the Node object', async () => {
  const { node, kube, bind } = await start();
  const limits = { 'example.com/licence': '1' };
  const resources = { limits, requests: limits };
  bind('licensed', { containers: [{ name: 'app', image: 'registry.example/app:1', resources }] });
  await node.until(() => podOf(kube, 'licensed')?.status?.phase === 'Running', 5_000);
});
