import type { Pod } from '@rxlet/kube-api';
import type { ObjectWatch } from '@rxlet/kube-api/client';
import { type KubeResource, resources } from '@rxlet/kube-api/resources';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningFleet, startFleet } from './test-support/running-fleet.ts';

interface Deployment {
  readonly apiVersion?: string;
  readonly metadata?: Pod['metadata'];
  readonly spec: object;
  readonly status?: Readonly<Record<string, unknown>>;
}
const deployments: KubeResource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
};

const REPLICAS = 300;
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'web', image, readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 } }],
  },
});

let fleet: RunningFleet;
let pods: ObjectWatch<Pod>;
beforeAll(async () => {
  fleet = await startFleet('--nodes', '50');
  pods = fleet.client.watch(resources.pods, { namespace: 'default' });
  pods.start();
}, 60_000);
afterAll(async () => {
  await pods[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
const imageOf = ({ spec }: Pod): string => spec?.containers[0]?.image ?? '';

async function untilRolledOut(image: string): Promise<void> {
  await vi.waitFor(
    () => {
      expect(pods.list().filter((pod) => isReady(pod) && imageOf(pod) === image)).toHaveLength(REPLICAS);
      expect(pods.list()).toHaveLength(REPLICAS);
    },
    { timeout: 60_000, interval: 100 },
  );
}

describe('a Deployment of 300 pods on 50 nodes', { timeout: 90_000 }, () => {
  it('is rolled out, spread evenly', async () => {
    await fleet.client.create(deployments, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: REPLICAS, selector: { matchLabels: { app: 'web' } }, template: template('nginx:1') },
    });
    await untilRolledOut('nginx:1');
    const counts = Map.groupBy(pods.list(), ({ spec }) => spec?.nodeName);
    expect([...counts.values()].map((own) => own.length)).toEqual(Array.from({ length: 50 }, () => REPLICAS / 50));
  });

  it('is updated while enough pods are ready', async () => {
    let [fewestReady, most] = [REPLICAS, REPLICAS];
    const watching = pods.changes$.subscribe({
      next() {
        const live = pods.list().filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
        fewestReady = Math.min(fewestReady, live.filter(isReady).length);
        most = Math.max(most, live.length);
      },
      error: () => (fewestReady = -1),
    });
    const ref = { name: 'web', namespace: 'default' };
    await fleet.client.patch(deployments, ref, {
      type: 'strategic',
      body: { spec: { template: template('nginx:2') } },
    });
    await untilRolledOut('nginx:2');
    watching.unsubscribe();
    expect(fewestReady).toBeGreaterThanOrEqual(REPLICAS * 0.75);
    expect(most).toBeLessThanOrEqual(REPLICAS * 1.25);
    expect(fleet.stderr()).toBe('');
  });
});
