import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceType } from '../resource-type.ts';
import { createTestServer, type TestServer } from '../test-support.ts';
import { workloadTypes } from './workloads.ts';

const { deployments, replicaSets, daemonSets, jobs, endpointSlices } = workloadTypes;

let server: TestServer;
beforeEach(() => {
  server = createTestServer({ controllers: true, schedules: true });
});
afterEach(() => server[Symbol.asyncDispose]());

const pods = (): readonly Pod[] => server.kube.objects.list(resources.pods) as unknown as readonly Pod[];
const settle = (ms = 1000): Promise<void> => server.clock.advance(ms);

function addNodes(count: number): void {
  for (let index = 0; index < count; index += 1) {
    const status = {
      conditions: [{ type: 'Ready', status: 'True' }],
      allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    };
    server.kube.objects.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: `node${String(index)}` }, status });
  }
}

/** Reports as nodes do: pods that are bound become ready, and those that are deleted end. */
function runPods({ image = /./, phase = 'Running' }: { image?: RegExp; phase?: string } = {}): void {
  for (const { metadata, spec, status } of pods()) {
    const name = metadata!.name!;
    if (metadata!.deletionTimestamp !== undefined) server.kube.objects.delete(resources.pods, name, 'default', 0);
    else if (spec?.nodeName && status?.phase === 'Pending' && image.test(spec.containers[0]!.image!)) {
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date(server.clock.now()).toISOString() };
      const change = { status: { phase, podIP: '10.0.0.1', conditions: phase === 'Running' ? [ready] : [] } };
      server.kube.objects.merge(resources.pods, name, 'default', change, 'status');
    }
  }
}

function template(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } };
}

function createDeployment(replicas: number, more: object = {}): void {
  const spec = { replicas, selector: { matchLabels: { app: 'web' } }, template: template('web:1'), ...more };
  server.kube.objects.create(deployments, { metadata: { name: 'web', namespace: 'default' }, spec });
}

const statusOf = (type: ResourceType, name = 'web') =>
  server.kube.objects.get(type, name, 'default')?.status as Readonly<Record<string, unknown>>;

describe('the controller of Deployments', () => {
  it('creates pods, and reports when they are available', async () => {
    addNodes(2);
    createDeployment(3);
    await settle();
    expect(
      pods()
        .map(({ spec }) => spec?.nodeName)
        .sort(),
    ).toEqual(['node0', 'node0', 'node1']);
    expect(statusOf(deployments)).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
    runPods();
    await settle();
    expect(statusOf(deployments)).toMatchObject({ observedGeneration: 1, readyReplicas: 3, availableReplicas: 3 });
    expect(statusOf(deployments)['conditions']).toMatchObject([
      { type: 'Available', status: 'True' },
      { type: 'Progressing', reason: 'NewReplicaSetAvailable' },
    ]);
  });

  it('replaces pods within the bounds of a rolling update', async () => {
    addNodes(4);
    createDeployment(20, { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } });
    await settle();
    runPods();
    await settle();
    server.kube.objects.merge(deployments, 'web', 'default', { spec: { template: template('web:2') } });
    const [most, fewest] = [[] as number[], [] as number[]];
    for (let round = 0; round < 40; round += 1) {
      await settle(100);
      const live = pods().filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      most.push(live.length);
      fewest.push(live.filter(({ status }) => status?.phase === 'Running').length);
      runPods();
    }
    expect(Math.max(...most)).toBe(22);
    expect(Math.min(...fewest)).toBe(19);
    expect(pods().map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array.from({ length: 20 }, () => 'web:2'));
    expect(statusOf(deployments)).toMatchObject({ observedGeneration: 2, updatedReplicas: 20, replicas: 20 });
  });

  it('keeps old pods when new ones do not become ready', async () => {
    addNodes(2);
    createDeployment(8);
    await settle();
    runPods();
    await settle();
    server.kube.objects.merge(deployments, 'web', 'default', { spec: { template: template('broken:1') } });
    for (let round = 0; round < 20; round += 1) {
      await settle(100);
      runPods({ image: /^web/ });
    }
    const images = pods().map(({ spec }) => spec?.containers[0]?.image);
    expect(images.filter((image) => image === 'web:1')).toHaveLength(6);
    expect(images.filter((image) => image === 'broken:1')).toHaveLength(4);
  });

  it('returns to an earlier revision', async () => {
    addNodes(1);
    createDeployment(2);
    await settle();
    for (const image of ['web:2', 'web:1']) {
      server.kube.objects.merge(deployments, 'web', 'default', { spec: { template: template(image) } });
      for (let round = 0; round < 10; round += 1) {
        runPods();
        await settle(100);
      }
    }
    const revisions = server.kube.objects
      .list(replicaSets)
      .map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision']);
    expect(revisions.sort()).toEqual(['2', '3']);
    expect(pods().map(({ spec }) => spec?.containers[0]?.image)).toEqual(['web:1', 'web:1']);
  });

  it('removes what a deleted Deployment leaves behind', async () => {
    addNodes(1);
    createDeployment(2);
    await settle();
    server.kube.objects.delete(deployments, 'web', 'default');
    await settle();
    runPods();
    expect([server.kube.objects.list(replicaSets), pods()]).toEqual([[], []]);
  });
});

describe('the controller of Jobs', () => {
  const createJob = (spec: object): void =>
    void server.kube.objects.create(jobs, {
      metadata: { name: 'work', namespace: 'default' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'work:1' }] } }, ...spec },
    });

  it('runs pods until enough have succeeded', async () => {
    addNodes(1);
    createJob({ completions: 5, parallelism: 2 });
    for (let round = 0; round < 5; round += 1) {
      await settle();
      expect(pods().filter(({ status }) => status?.phase === 'Pending').length).toBeLessThanOrEqual(2);
      runPods({ phase: 'Succeeded' });
    }
    await settle();
    expect(pods()).toHaveLength(5);
    expect(statusOf(jobs, 'work')).toMatchObject({ succeeded: 5, conditions: [{ type: 'Complete', status: 'True' }] });
  });

  it('gives up after too many failures', async () => {
    addNodes(1);
    createJob({ backoffLimit: 2 });
    for (let round = 0; round < 6; round += 1) {
      await settle();
      runPods({ phase: 'Failed' });
    }
    expect(pods()).toHaveLength(3);
    expect(statusOf(jobs, 'work')).toMatchObject({ failed: 3, conditions: [{ type: 'Failed', status: 'True' }] });
  });
});

it('runs a pod of a DaemonSet on each node, also on later ones', async () => {
  addNodes(2);
  const spec = { selector: { matchLabels: { app: 'web' } }, template: template('agent:1') };
  server.kube.objects.create(daemonSets, { metadata: { name: 'agent', namespace: 'default' }, spec });
  await settle();
  addNodes(0);
  server.kube.objects.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'later' },
    status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { pods: '10' } },
  });
  await settle();
  expect(
    pods()
      .map(({ spec: { nodeName } = {} }) => nodeName)
      .sort(),
  ).toEqual(['later', 'node0', 'node1']);
  runPods();
  await settle();
  expect(statusOf(daemonSets, 'agent')).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3 });
});

it('lists the pods of a Service that are ready', async () => {
  addNodes(1);
  createDeployment(2);
  server.kube.objects.create(resources.services, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await settle();
  runPods();
  await settle();
  const [slice, ...others] = server.kube.objects.list(endpointSlices);
  expect(others).toEqual([]);
  expect(slice).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    ports: [{ port: 8080, protocol: 'TCP' }],
    endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
  });
});

it('ends the pods of a node that was removed', async () => {
  addNodes(1);
  createDeployment(1);
  await settle();
  const [before] = pods();
  server.kube.objects.delete(resources.nodes, 'node0');
  await settle();
  expect(pods().map(({ metadata }) => metadata?.name)).not.toContain(before?.metadata?.name);
});
