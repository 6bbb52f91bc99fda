import type { ObjectChange } from '@rxlet/kube-api/client';
import { seededRandom } from '@rxlet/component-base';
import type { ConfigMap } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { expect, it } from 'vitest';
import { createTestCluster } from '../test-support/cluster.ts';

const { configMaps } = resources;
const RUNS = 40;
const STEPS = 60;

/** Content of a watch as its changes describe it; fails for a change that does not fit the one before. */
function createReplica(): { apply(change: ObjectChange<ConfigMap>): void; content(): Record<string, string> } {
  const objects = new Map<string, ConfigMap>();
  return {
    apply(change) {
      if (change.type === 'snapshot') {
        expect(objects.size).toBe(0);
        for (const object of change.objects) objects.set(object.metadata!.name!, object);
        return;
      }
      const { name = '', uid, resourceVersion } = change.object.metadata!;
      const before = objects.get(name);
      if (change.type === 'added') expect(before).toBeUndefined();
      else expect(before?.metadata?.uid).toBe(uid);
      if (change.type === 'modified') {
        expect(Number(resourceVersion)).toBeGreaterThan(Number(before?.metadata?.resourceVersion));
        expect(change.previous).toBe(before);
      }
      if (change.type === 'deleted') objects.delete(name);
      else objects.set(name, change.object);
    },
    content: () =>
      Object.fromEntries(
        [...objects].map(([name, { metadata }]) => [name, metadata!.uid! + metadata!.resourceVersion!]),
      ),
  };
}

it.each(Array.from({ length: RUNS }, (_, seed) => seed))(
  'a watch follows the objects through outages, cuts and errors (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!;
    await using cluster = createTestCluster({ hasStreamingLists: random.next() < 0.6, historyLimit: 5 });
    const { kube, client, clock } = cluster;
    await using watch = client.watch(configMaps, { namespace: 'default', labelSelector: 'in=yes' });
    const replica = createReplica();
    const failures: unknown[] = [];
    watch.changes$.subscribe((change) => {
      try {
        replica.apply(change);
      } catch (error) {
        failures.push(error);
      }
    });
    watch.start();

    const names = ['a', 'b', 'c', 'd'];
    const metadata = (name: string) => ({ name, namespace: 'default', labels: { in: pick(['yes', 'yes', 'no']) } });
    const steps: (() => void)[] = [
      () => {
        const name = pick(names);
        const exists = kube.objects.get(configMaps, name, 'default') !== undefined;
        if (!exists) kube.objects.create(configMaps, { metadata: metadata(name) });
        else if (random.next() < 0.5) kube.objects.delete(configMaps, name, 'default');
        else
          kube.objects.merge(configMaps, name, 'default', {
            metadata: { labels: metadata(name).labels },
            data: { at: random.hex(4) },
          });
      },
      () => void kube.cutWatches(),
      () => void kube.freezeWatches(),
      () => kube.compact(),
      () => (kube.isRunning ? kube.stop() : kube.start()),
      () =>
        void kube.faults.add({
          times: 1 + Math.floor(random.next() * 3),
          delayMs: Math.floor(random.next() * 2000),
          action: pick([
            { type: 'error', reason: 'InternalError' },
            { type: 'error', reason: 'TooManyRequests', retryAfterSeconds: 2 },
            { type: 'error', reason: 'Expired' },
            { type: 'drop', when: 'before' },
            { type: 'garbage' },
            { type: 'silent' },
            { type: 'delay' },
          ] as const),
        }),
    ];
    for (let step = 0; step < STEPS; step += 1) {
      (random.next() < 0.6 ? steps[0]! : pick(steps))();
      await clock.advance(Math.floor(random.next() * 5000));
    }
    kube.faults.clear();
    kube.start();
    // Longer than any back-off, deadline and connection.
    await clock.advance(1_200_000);

    const expected = kube.objects
      .list(configMaps, 'default')
      .filter((object) => object.metadata.labels?.['in'] === 'yes');
    const content = Object.fromEntries(
      expected.map((object) => [object.metadata.name, object.metadata.uid + object.metadata.resourceVersion]),
    );
    expect(failures).toEqual([]);
    expect(replica.content()).toEqual(content);
    expect(watch.list()).toHaveLength(expected.length);
    expect(watch.problem).toBeUndefined();
  },
);
