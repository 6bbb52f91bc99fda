import type { PodCondition } from '@rxlet/kube-api';
import { journal } from '@rxlet/journal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const TYPE = 'PodReadyToStartContainers';
const spec = {
  volumes: [{ name: 'settings', configMap: { name: 'missing' } }],
  containers: [
    {
      name: 'app',
      image: 'registry.example/app:1',
      command: ['serve'],
      volumeMounts: [{ name: 'settings', mountPath: '/settings' }],
    },
  ],
};

async function startCluster(options: Parameters<TestCluster['start']>[0] = {}): Promise<TestCluster> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.start(options);
  return cluster;
}

const conditionOf = (cluster: TestCluster, type = TYPE): PodCondition | undefined =>
  cluster.pod('web')?.status?.conditions?.find((condition) => condition.type === type);

/** Returns the number of patches of the status of the pod so far. */
const patchCount = ({ kube }: TestCluster): number =>
  kube.requests().filter(({ method, path }) => method === 'PATCH' && path.endsWith('/pods/web/status')).length;

describe('messages of conditions', () => {
  it('say what a pod without a sandbox waits for, in one patch however often it is retried', async () => {
    const cluster = await startCluster();
    cluster.bind('web', spec);
    await cluster.until(() => conditionOf(cluster)?.message !== undefined);
    expect(conditionOf(cluster)).toMatchObject({
      status: 'False',
      message: 'waits for volume "settings" to be mounted',
    });
    const patches = patchCount(cluster);
    await cluster.advance(20 * 60_000);
    expect(patchCount(cluster)).toBe(patches);
    // The first status, and the message.
    expect(patches).toBe(2);

    cluster.kube.objects.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'missing', namespace: 'default' },
      data: { key: 'value' },
    });
    await cluster.untilPhase('web', 'Running');
    expect(conditionOf(cluster)).toMatchObject({ status: 'True' });
    expect(conditionOf(cluster)?.message ?? '').toBe('');
  });

  it('change once when the pod waits for something else', async () => {
    const cluster = await startCluster();
    cluster.node.fake.setFailpoint('runPodSandbox', 'error(unavailable: no address left)');
    cluster.bind('web', spec);
    await cluster.until(() => conditionOf(cluster)?.message !== undefined);
    const patches = patchCount(cluster);
    cluster.kube.objects.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'missing', namespace: 'default' },
      data: { key: 'value' },
    });
    await cluster.advance(10 * 60_000);
    expect(conditionOf(cluster)?.message).toBe('waits for the container runtime to create its sandbox and network');
    expect(patchCount(cluster)).toBe(patches + 1);
  });

  it('keep the wording of a kubelet in all other conditions', async () => {
    const cluster = await startCluster();
    cluster.bind('web', spec);
    await cluster.until(() => conditionOf(cluster)?.message !== undefined);
    const message = 'containers with unready status: [app]';
    expect(conditionOf(cluster, 'Ready')).toMatchObject({ reason: 'ContainersNotReady', message });
    expect(conditionOf(cluster, 'ContainersReady')).toMatchObject({ reason: 'ContainersNotReady', message });
    expect(conditionOf(cluster, 'Initialized')).toMatchObject({ status: 'True' });
  });

  it('cost no patch of a pod that starts at once', async () => {
    const patches = async (conditionMessages: boolean): Promise<number> => {
      const cluster = await startCluster({ modules: [journal({ conditionMessages })] });
      cluster.bind('web', { containers: [{ name: 'app', image: 'registry.example/app:1', command: ['serve'] }] });
      await cluster.untilPhase('web', 'Running');
      await cluster.advance(60_000);
      return patchCount(cluster);
    };
    expect(await patches(true)).toBe(await patches(false));
  });

  it('stay empty on request', async () => {
    const cluster = await startCluster({ modules: [journal({ conditionMessages: false })] });
    cluster.bind('web', spec);
    await cluster.advance(5 * 60_000);
    expect(conditionOf(cluster)).toMatchObject({ status: 'False' });
    expect(conditionOf(cluster)?.message ?? '').toBe('');
    expect(patchCount(cluster)).toBe(1);
  });
});
