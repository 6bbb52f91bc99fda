import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { seededRandom } from '@rxlet/component-base';
import { admin, createFakeKube } from '@rxlet/fake-kube';
import { resources } from '@rxlet/kube-api/resources';
import { expect, it } from 'vitest';
import { createKubeClient } from '../create-kube-client.ts';
import type { KubeTransport } from '../transport/kube-transport.ts';

it('counts open watches and the events of objects by resource', async () => {
  const [clock, random, metrics] = [createVirtualClock(), seededRandom(1), recordingMetrics()];
  await using kube = createFakeKube({ clock, random });
  const transport: KubeTransport = { send: (request) => kube.handle({ ...request, user: admin }) };
  const client = createKubeClient({ transport, clock, random, metrics }, { userAgent: 'test' });
  const openWatches = async (): Promise<number | undefined> => {
    await metrics.collect();
    return metrics.values.get('rxlet_watches{resource="configmaps"}');
  };
  {
    await using watch = client.watch(resources.configMaps, { namespace: 'default' });
    watch.start();
    await clock.runUntil(() => watch.isSynced);
    expect(await openWatches()).toBe(1);
    const before = metrics.values.get('rxlet_watch_events_total{resource="configmaps"}') ?? 0;
    await client.create(resources.configMaps, { metadata: { name: 'settings', namespace: 'default' } });
    await clock.runUntil(() => watch.list().length === 1);
    expect(metrics.values.get('rxlet_watch_events_total{resource="configmaps"}')).toBe(before + 1);
  }
  expect(await openWatches()).toBe(0);
});
