import type { Lease, Node, Pod } from '@rxlet/kube-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeStatus } from '@rxlet/node-status';
import { createTestMachine } from '@rxlet/machine/testing';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const nodes = { group: '', plural: 'nodes' };
const pods = { group: '', plural: 'pods' };
const events = { group: '', plural: 'events' };
const leases = { group: 'coordination.k8s.io', plural: 'leases' };
const MINUTE_MS = 60_000;

async function start(modules: NonNullable<Parameters<TestCluster['start']>[0]>['modules'] = []): Promise<TestCluster> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  cluster.node.desire();
  await cluster.start({ modules });
  return cluster;
}

const nodeOf = ({ kube }: TestCluster): Node | undefined => kube.objects.get(nodes, 'node1') as Node | undefined;
const conditionOf = (node: Node | undefined, type: string): string | undefined =>
  node?.status?.conditions?.find((one) => one.type === type)?.status;
const isReady = (cluster: TestCluster): boolean => conditionOf(nodeOf(cluster), 'Ready') === 'True';
const count = ({ kube }: TestCluster, method: string, path: RegExp): number =>
  kube.requests().filter((request) => request.method === method && path.test(request.path)).length;

describe('a Node object', () => {
  it('stays deleted, and is reported and leased once an operator has created it', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    cluster.bind('web');
    await node.until(() => isReady(cluster) && node.running().length === 1, MINUTE_MS);
    // The lease is created when there is a node, at the second attempt.
    await node.advance(20_000);
    const { metadata, spec } = nodeOf(cluster)!;
    kube.objects.delete(nodes, 'node1');
    kube.objects.delete(leases, 'node1', 'kube-node-lease');
    const created = count(cluster, 'POST', /\/nodes$/);
    await node.advance(5 * MINUTE_MS);
    expect([nodeOf(cluster), count(cluster, 'POST', /\/nodes$/), node.running()]).toEqual([
      undefined,
      created,
      ['web/app'],
    ]);
    const { labels, annotations } = metadata!;
    kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node1', labels, annotations },
      spec,
    });
    await node.until(() => isReady(cluster), 30_000);
    await node.advance(20_000);
    const lease = kube.objects.get(leases, 'node1', 'kube-node-lease') as unknown as Lease;
    expect(lease.metadata?.ownerReferences?.[0]?.uid).toBe(nodeOf(cluster)?.metadata?.uid);
    expect(node.running()).toEqual(['web/app']);
  });

  it('without a status does not end the pods that run when the agent restarts', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    cluster.bind('web');
    await node.until(() => isReady(cluster) && node.running().length === 1, MINUTE_MS);
    const [before] = node.instances('web');
    kube.objects.delete(nodes, 'node1');
    await node.kill();
    kube.objects.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' }, spec: {} });
    await cluster.start();
    await node.advance(30_000);
    expect([node.running(), node.instances('web').map(({ id }) => id)]).toEqual([['web/app'], [before!.id]]);
    expect(cluster.pod('web')?.status?.phase).toBe('Running');
  });

  it('keeps labels, annotations, taints and conditions of others', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    await node.until(() => isReady(cluster), MINUTE_MS);
    const foreign = { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' };
    const taints = [{ key: 'dedicated', value: 'x', effect: 'PreferNoSchedule' }];
    kube.objects.merge(nodes, 'node1', undefined, {
      metadata: { labels: { a: 'b', 'kubernetes.io/os': 'other' }, annotations: { c: 'd' } },
      spec: { taints },
    });
    kube.objects.merge(
      nodes,
      'node1',
      undefined,
      {
        status: {
          conditions: [...nodeOf(cluster)!.status!.conditions!, foreign],
          capacity: { 'example.com/dongle': '4' },
        },
      },
      'status',
    );
    await node.advance(6 * MINUTE_MS);
    const found = nodeOf(cluster)!;
    expect(found.metadata).toMatchObject({ labels: { a: 'b', 'kubernetes.io/os': 'linux' }, annotations: { c: 'd' } });
    expect(found.spec?.taints).toEqual(taints);
    expect(found.status?.conditions).toContainEqual(expect.objectContaining(foreign));
    expect(found.status?.capacity?.['example.com/dongle']).toBe('4');
    await node.kill();
    await cluster.start();
    await node.advance(MINUTE_MS);
    expect(nodeOf(cluster)!.spec?.taints).toEqual(taints);
    expect(nodeOf(cluster)!.status?.conditions).toContainEqual(expect.objectContaining(foreign));
  });

  it('is reported once an operator has created it although the agent must not register it', async () => {
    const cluster = await start([nodeStatus({ machine: createTestMachine(), registerNode: false })]);
    const { node, kube } = cluster;
    await node.advance(MINUTE_MS);
    expect([nodeOf(cluster), count(cluster, 'POST', /\/nodes$/)]).toEqual([undefined, 0]);
    kube.objects.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' }, spec: {} });
    await node.until(() => isReady(cluster), 30_000);
    cluster.bind('web');
    await node.until(() => node.running().length === 1, MINUTE_MS);
    expect(count(cluster, 'POST', /\/nodes$/)).toBe(0);
  });
});

describe('a pod', () => {
  it('disappears a little later when its deletion conflicts once', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    cluster.bind('web');
    await node.until(() => cluster.pod('web')?.status?.phase === 'Running', MINUTE_MS);
    kube.faults.add({
      match: { resource: 'pods', verb: 'delete' },
      times: 1,
      action: { type: 'error', reason: 'Conflict' },
    });
    kube.objects.delete(pods, 'web', 'default');
    await node.until(() => cluster.pod('web') === undefined, MINUTE_MS);
    expect(count(cluster, 'DELETE', /\/pods\/web$/)).toBe(2);
  });

  it('runs under the name of another pod and gets nothing of its status', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    const { metadata } = cluster.bind('web', { terminationGracePeriodSeconds: 5 });
    await node.until(() => cluster.pod('web')?.status?.phase === 'Running', MINUTE_MS);
    kube.faults.add({ match: { resource: 'pods', verb: 'patch' }, times: 1, delayMs: 500 });
    kube.objects.delete(pods, 'web', 'default');
    await node.advance(100);
    kube.objects.delete(pods, 'web', 'default', 0);
    const successor = cluster.bind('web');
    const ofSuccessor: (string | undefined)[] = [];
    await node.until(() => {
      const pod = cluster.pod('web');
      if (pod?.metadata?.uid === successor.metadata?.uid) ofSuccessor.push(pod?.status?.phase);
      return pod?.status?.phase === 'Running';
    }, MINUTE_MS);
    expect(new Set(ofSuccessor)).toEqual(new Set(['Pending', 'Running']));
    await node.advance(MINUTE_MS);
    expect(node.running()).toEqual(['web/app']);
    expect(cluster.pod('web')?.metadata?.uid).not.toBe(metadata?.uid);
    expect(cluster.pod('web')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('runs and ends when the API server writes null for absent fields', async () => {
    const cluster = await start();
    const { node, kube } = cluster;
    const absent = {
      initContainers: null,
      ephemeralContainers: null,
      volumes: null,
      tolerations: null,
      hostAliases: null,
    };
    kube.faults.add({
      match: { resource: 'pods', verb: 'watch' },
      action: {
        type: 'rewrite',
        rewrite(text) {
          const line = JSON.parse(text) as { type: string; object: Pod };
          if (line.type === 'BOOKMARK' || line.type === 'ERROR') return text;
          const { metadata, spec, status } = line.object;
          const object = {
            metadata: { annotations: null, labels: null, finalizers: null, ...metadata },
            spec: { ...absent, ...spec },
            status: { conditions: null, containerStatuses: null, hostIPs: null, podIPs: null, ...status },
          };
          return `${JSON.stringify({ ...line, object: { ...line.object, ...object } })}\n`;
        },
      },
    });
    kube.cutWatches({ resource: 'pods' });
    cluster.bind('web');
    await node.until(() => cluster.pod('web')?.status?.phase === 'Running', MINUTE_MS);
    kube.objects.delete(pods, 'web', 'default');
    await node.until(() => cluster.pod('web') === undefined, MINUTE_MS);
    expect(node.logger.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  const messagesAbout = ({ kube }: TestCluster, name: string): string[] =>
    (
      kube.objects.list(events, 'default') as unknown as {
        involvedObject: { name: string };
        reason: string;
        message: string;
      }[]
    )
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);

  it.each([
    [
      'with the UID of another one',
      (pod: Pod, good: Pod) => ({ ...pod.metadata, uid: good.metadata?.uid }),
      'duplicate pod UID',
    ],
    ['whose UID leaves the directory of pods', (pod: Pod) => ({ ...pod.metadata, uid: '../../etc' }), 'metadata.uid'],
    ['whose name leaves the directory of logs', (pod: Pod) => ({ ...pod.metadata, name: '../bad' }), 'metadata.name'],
  ])('%s is left out, and disturbs no other', async (_, change, message) => {
    const cluster = await start();
    const { node, kube } = cluster;
    const good = cluster.bind('good');
    await node.until(() => node.running().length === 1, MINUTE_MS);
    await node.advance(5_000);
    const paths = node.files.paths().toSorted();
    kube.faults.add({
      match: { resource: 'pods', verb: 'watch' },
      action: {
        type: 'rewrite',
        rewrite(text) {
          const line = JSON.parse(text) as { object: Pod };
          if (line.object.metadata?.name !== 'bad') return text;
          return `${JSON.stringify({ ...line, object: { ...line.object, metadata: change(line.object, good) } })}\n`;
        },
      },
    });
    kube.cutWatches({ resource: 'pods' });
    cluster.bind('bad');
    await node.advance(30_000);
    expect(node.running()).toEqual(['good/app']);
    expect(node.agent().sourceProblems.value.map((problem) => problem.message)).toEqual([
      expect.stringContaining(message),
    ]);
    expect(node.files.paths().toSorted()).toEqual(paths);
  });

  it.each<readonly [cause: string, spec: object | null, message: string]>([
    ['without a spec', null, 'spec.containers: is required'],
    ['without containers', { containers: [] }, 'spec.containers: is required'],
    [
      'whose container leaves its directory',
      { containers: [{ name: '../../x', image: 'a' }] },
      'spec.containers[0].name',
    ],
    [
      'with two containers of a name',
      {
        containers: [
          { name: 'a', image: 'a' },
          { name: 'a', image: 'a' },
        ],
      },
      'spec.containers[1].name',
    ],
    [
      'whose volume leaves its directory',
      { containers: [{ name: 'a', image: 'a' }], volumes: [{ name: '../x', emptyDir: {} }] },
      'spec.volumes[0].name',
    ],
  ])('%s is reported, and disturbs no other', async (_, spec, message) => {
    const cluster = await start();
    const { node, kube } = cluster;
    kube.faults.add({
      match: { resource: 'pods', verb: 'watch' },
      action: {
        type: 'rewrite',
        rewrite(text) {
          const line = JSON.parse(text) as { object: Pod };
          if (line.object.metadata?.name !== 'bad') return text;
          return `${JSON.stringify({ ...line, object: { ...line.object, spec: spec && { nodeName: 'node1', ...spec } } })}\n`;
        },
      },
    });
    kube.cutWatches({ resource: 'pods' });
    cluster.bind('bad');
    cluster.bind('good');
    await node.until(() => node.running().length === 1, MINUTE_MS);
    await node.advance(5_000);
    expect(messagesAbout(cluster, 'bad')).toEqual([expect.stringContaining(message)]);
    expect(messagesAbout(cluster, 'bad')[0]).toMatch(/^FailedValidation/);
    kube.objects.delete(pods, 'bad', 'default');
    await node.until(() => cluster.pod('bad') === undefined, MINUTE_MS);
    expect(node.running()).toEqual(['good/app']);
  });
});
