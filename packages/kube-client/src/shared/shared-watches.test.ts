import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { admin, createFakeKube } from '@rxlet/fake-kube';
import type { ConfigMap, Pod } from '@rxlet/kube-api';
import type { ObjectChange, ObjectWatch } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient } from '../create-kube-client.ts';
import { createSharedWatches } from './shared-watches.ts';

const setUp = () => {
  const [clock, random] = [createVirtualClock(), seededRandom(1)];
  const kube = createFakeKube({ clock, random });
  const transport = { send: (request: object) => kube.handle({ ...request, user: admin } as never) };
  const client = createKubeClient({ transport, clock, random }, { userAgent: 'test/v1' });
  const shared = createSharedWatches({ client, logger: noopLogger });
  const seen: string[] = [];
  const record = <T extends { readonly metadata?: { readonly name?: string } }>(
    watch: ObjectWatch<T>,
  ): ObjectWatch<T> => {
    const text = (change: ObjectChange<T>): string =>
      change.type === 'snapshot'
        ? `snapshot ${change.objects.map(({ metadata }) => metadata?.name).join()}`
        : `${change.type} ${change.object.metadata?.name ?? ''}`;
    watch.changes$.subscribe({ next: (change) => seen.push(text(change)), error: () => seen.push('error') });
    watch.start();
    return watch;
  };
  const podsOf = (node: string): ObjectWatch<Pod> =>
    record(shared.watch(resources.pods, { fieldSelector: `spec.nodeName=${node}` }));
  const addPod = (name: string, nodeName?: string): void =>
    void kube.objects.create(resources.pods, {
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'busybox' }], ...(nodeName !== undefined && { nodeName }) },
    });
  const openWatches = (plural: string): number =>
    kube.requests().filter(({ path, query }) => path.endsWith(`/${plural}`) && query.includes('watch=true')).length;
  return { clock, kube, shared, seen, record, podsOf, addPod, openWatches };
};

let cluster: ReturnType<typeof setUp>;
beforeEach(() => {
  cluster = setUp();
});
afterEach(async () => {
  await cluster.shared[Symbol.asyncDispose]();
  await cluster.kube[Symbol.asyncDispose]();
});

describe('shared watches', () => {
  it('show each node its pods, by one watch', async () => {
    const { clock, seen, podsOf, addPod, openWatches } = cluster;
    addPod('a', 'node1');
    const [one, two] = [podsOf('node1'), podsOf('node2')];
    await clock.runUntil(() => one.isSynced && two.isSynced);
    addPod('b', 'node2');
    await clock.runUntil(() => two.list().length === 1);
    expect(seen).toEqual(['snapshot a', 'snapshot ', 'added b']);
    expect(one.list().map(({ metadata }) => metadata?.name)).toEqual(['a']);
    expect(openWatches('pods')).toBe(1);
  });

  it('show a pod to its node from its binding on', async () => {
    const { clock, kube, seen, podsOf, addPod } = cluster;
    const watch = podsOf('node1');
    await clock.runUntil(() => watch.isSynced);
    addPod('a');
    kube.objects.bind('default', 'a', 'node1');
    await clock.runUntil(() => watch.list().length === 1);
    kube.objects.delete(resources.pods, 'a', 'default', 0);
    await clock.runUntil(() => watch.list().length === 0);
    expect(seen).toEqual(['snapshot ', 'added a', 'deleted a']);
  });

  it('show what is there to a node that comes later', async () => {
    const { clock, seen, podsOf, addPod } = cluster;
    addPod('a', 'node2');
    const first = podsOf('node1');
    await clock.runUntil(() => first.isSynced);
    expect(podsOf('node2').list()).toHaveLength(1);
    expect(seen).toEqual(['snapshot ', 'snapshot a']);
  });

  it('end for one node alone', async () => {
    const { clock, seen, podsOf, addPod } = cluster;
    const [one, two] = [podsOf('node1'), podsOf('node2')];
    await clock.runUntil(() => one.isSynced && two.isSynced);
    await one[Symbol.asyncDispose]();
    addPod('a', 'node1');
    addPod('b', 'node2');
    await clock.runUntil(() => two.list().length === 1);
    expect(seen).toEqual(['snapshot ', 'snapshot ', 'added b']);
  });

  it('go on for others of the same part when one is disposed of twice', async () => {
    const { clock, podsOf, addPod } = cluster;
    const [one, other] = [podsOf('node1'), podsOf('node1')];
    await clock.runUntil(() => one.isSynced && other.isSynced);
    await one[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    addPod('a', 'node1');
    await clock.advance(1000);
    expect(other.list()).toHaveLength(1);
  });

  it('show a named ConfigMap of each namespace', async () => {
    const { clock, kube, shared, seen, record, openWatches } = cluster;
    const namespaces = ['default', 'kube-system'];
    for (const namespace of namespaces) {
      for (const name of ['settings', 'other'])
        kube.objects.create(resources.configMaps, { metadata: { name, namespace } });
    }
    const watches = namespaces.map((namespace) =>
      record<ConfigMap>(shared.watch(resources.configMaps, { namespace, fieldSelector: 'metadata.name=settings' })),
    );
    await clock.runUntil(() => watches.every(({ isSynced }) => isSynced));
    expect(seen).toEqual(['snapshot settings', 'snapshot settings']);
    expect(watches[1]!.find({ name: 'settings', namespace: 'kube-system' })?.metadata?.namespace).toBe('kube-system');
    expect(openWatches('configmaps')).toBe(1);
  });

  it('open a watch for each selection that is no part of another', async () => {
    const { clock, kube, shared, record, openWatches } = cluster;
    kube.objects.create(resources.services, {
      metadata: { name: 's', namespace: 'default' },
      spec: { clusterIP: '10.0.0.1' },
    });
    const selector = { fieldSelector: 'spec.clusterIP!=None' };
    const [one, two] = [
      record(shared.watch(resources.services, selector)),
      record(shared.watch(resources.services, selector)),
    ];
    const other = record(shared.watch(resources.services));
    await clock.runUntil(() => [one, two, other].every(({ isSynced }) => isSynced));
    expect(two.list()).toHaveLength(1);
    expect(openWatches('services')).toBe(2);
    expect(shared.openWatches).toBe(2);
  });

  it('notice what happened while there was no connection', async () => {
    const { clock, kube, seen, podsOf, addPod } = cluster;
    addPod('a', 'node1');
    const watch = podsOf('node1');
    await clock.runUntil(() => watch.isSynced);
    kube.stop();
    kube.objects.delete(resources.pods, 'a', 'default', 0);
    addPod('b', 'node1');
    kube.start();
    await clock.runUntil(() => watch.list()[0]?.metadata?.name === 'b');
    expect(seen).toEqual(['snapshot a', 'deleted a', 'added b']);
  });
});
