import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import type { KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient, createUndiciTransport, loadKubeconfig } from '@rxlet/kube-client';
import { createHostFiles } from '@rxlet/node-files';
import { until } from '../child-process.ts';

/** Times of pods, in seconds. */
export interface PodTimes {
  /** Until the last pod was created. */
  readonly createdSeconds: number;
  /** Until the last pod was Running. */
  readonly runningSeconds: number;
  /** From the creation of a pod until it was Running: median, and 99 of 100. */
  readonly medianSeconds: number;
  readonly p99Seconds: number;
}

/** Requests at the same time. */
const CREATIONS = 64;
const TIMEOUT_MS = 300_000;

/** Runs `body` with an administrator's client. */
export async function withClient<T>(kubeconfig: string, body: (client: KubeClient) => Promise<T>): Promise<T> {
  const endpoint = await loadKubeconfig(createHostFiles(), kubeconfig);
  await using transport = createUndiciTransport({ clock: systemClock }, endpoint);
  const ports = { transport, clock: systemClock, random: systemRandom };
  return await body(createKubeClient(ports, { userAgent: 'rxlet-bench/1' }));
}

/** Creates pods that are bound to nodes in turn, each with a readiness probe, and waits until all are Running. `check` throws when that cannot happen any more. */
export async function loadPods(
  client: KubeClient,
  nodes: number,
  podsPerNode: number,
  check: () => void,
): Promise<PodTimes> {
  const total = nodes * podsPerNode;
  const createdAt = new Map<string, number>();
  const latencies = new Map<string, number>();
  await using watch = client.watch(resources.pods, { namespace: 'default' });
  const see = ({ metadata: { name = '' } = {}, status }: Pod): void => {
    const created = createdAt.get(name);
    if (status?.phase === 'Running' && created !== undefined && !latencies.has(name))
      latencies.set(name, systemClock.monotonicNow() - created);
  };
  const subscription = follow(watch.changes$, {
    ...{ task: 'watching pods', logger: noopLogger },
    next: (change) => (change.type === 'snapshot' ? change.objects : [change.object]).forEach(see),
  });
  watch.start();
  const startedMs = systemClock.monotonicNow();
  const seconds = (): number => (systemClock.monotonicNow() - startedMs) / 1000;
  let next = 0;
  const create = async (): Promise<void> => {
    for (let index = next++; index < total; index = next++) {
      const pod = benchPod(index, nodes);
      createdAt.set(pod.metadata!.name!, systemClock.monotonicNow());
      await client.create(resources.pods, pod);
    }
  };
  await Promise.all(Array.from({ length: CREATIONS }, create));
  const createdSeconds = seconds();
  const isDone = (): boolean => {
    check();
    return latencies.size === total;
  };
  await until('all pods are Running', async () => isDone(), TIMEOUT_MS, 50);
  const runningSeconds = seconds();
  subscription.unsubscribe();
  const sorted = [...latencies.values()].sort((a, b) => a - b);
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! / 1000;
  return { createdSeconds, runningSeconds, medianSeconds: quantile(0.5), p99Seconds: quantile(0.99) };
}

function benchPod(index: number, nodes: number): Pod {
  return {
    metadata: { name: `web-${String(index)}`, namespace: 'default', labels: { app: 'web' } },
    spec: {
      nodeName: `fake-${String(index % nodes)}`,
      containers: [
        {
          ...{ name: 'web', image: 'nginx:1.27', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
          readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 10 },
        },
      ],
    },
  };
}

/** Creates the ConfigMaps that the API server's admission mounts into every pod, and that a controller manager would create. */
export async function createConfigMaps(client: KubeClient): Promise<void> {
  const { metadata, spec } = benchPod(0, 1);
  const { nodeName: _unbound, ...unbound } = spec!;
  const { spec: admitted } = await client.create(resources.pods, { metadata: metadata!, spec: unbound });
  const sources = (admitted?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  for (const { configMap } of sources) {
    if (configMap?.name === undefined) continue;
    const data = Object.fromEntries((configMap.items ?? []).map(({ key }) => [key, 'none']));
    await client.create(resources.configMaps, { metadata: { name: configMap.name, namespace: 'default' }, data });
  }
  await removePods(client);
}

/** Removes all pods at once, without their nodes. */
export async function removePods(client: KubeClient): Promise<void> {
  await client.deleteCollection(resources.pods, { namespace: 'default', gracePeriodSeconds: 0 });
}
