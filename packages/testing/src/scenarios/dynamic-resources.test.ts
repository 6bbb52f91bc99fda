import { createTestDraPlugin, type TestDraPlugin } from '@rxlet/dra-manager/testing';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDraCluster } from '../test-support/dra-cluster.ts';

const DRIVER = 'gpu.example.com';
const OTHER = 'nic.example.com';
const GPU = 'example.com/gpu';

async function startCluster(...plugins: readonly TestDraPlugin[]) {
  const cluster = createDraCluster(...plugins);
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.start();
  await cluster.advance(3_000);
  return cluster;
}

describe('claims of pods', () => {
  it('get prepared before the sandbox, reach the container, and get unprepared after it', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    cluster.createClaim('gpu', [DRIVER]);
    cluster.bindWith('one', ['gpu']);
    await cluster.untilPhase('one', 'Running');
    expect(cluster.created).toEqual([['one/app', [`${DRIVER}/device=gpu`]]]);
    expect(plugin.calls).toEqual([{ method: 'NodePrepareResources', claims: ['gpu'] }]);
    cluster.delete('one');
    await cluster.untilGone('one');
    expect(plugin.calls.slice(1)).toEqual([{ method: 'NodeUnprepareResources', claims: ['gpu'] }]);
    await cluster.expectNoLeaks();
  });

  it('get prepared once for all pods that share them, by each of their drivers', async () => {
    const [gpu, nic] = [createTestDraPlugin({ driver: DRIVER }), createTestDraPlugin({ driver: OTHER })];
    const cluster = await startCluster(gpu, nic);
    cluster.createClaim('shared', [DRIVER, OTHER]);
    cluster.createClaim('own', [OTHER]);
    cluster.bindWith('one', ['shared']);
    cluster.bindWith('two', ['shared', 'own']);
    await cluster.untilPhase('one', 'Running');
    await cluster.untilPhase('two', 'Running');
    expect(gpu.calls).toEqual([{ method: 'NodePrepareResources', claims: ['shared'] }]);
    expect(nic.calls.flatMap(({ claims }) => claims).toSorted()).toEqual(['own', 'shared']);
    cluster.delete('one');
    await cluster.untilGone('one');
    expect([gpu.prepared.size, nic.prepared.size]).toEqual([1, 2]);
    cluster.delete('two');
    await cluster.untilGone('two');
    expect([gpu.prepared.size, nic.prepared.size]).toEqual([0, 0]);
  });

  it('may come from a template, once the claim exists and the pod owns it', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    const pod = cluster.bind('one', {
      containers: [{ name: 'app', image: 'app:1', resources: { claims: [{ name: 'a' }] } }],
      resourceClaims: [{ name: 'a', resourceClaimTemplateName: 'template' }],
    });
    const prefix = 'FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: ';
    await cluster.until(() =>
      cluster.events('one').includes(`${prefix}pod "default/one": ResourceClaim not created yet`),
    );
    const { uid = '' } = pod.metadata ?? {};
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'one', uid, controller: true };
    cluster.createClaim('one-a-x', [DRIVER], { ownerReferences: [owner] });
    const resourceClaimStatuses = [{ name: 'a', resourceClaimName: 'one-a-x' }];
    cluster.kube.objects.merge(resources.pods, 'one', 'default', { status: { resourceClaimStatuses } }, 'status');
    await cluster.until(() => cluster.events('one').some((event) => event.includes('is not allowed to use')));
    cluster.reserve('one-a-x', pod);
    await cluster.untilPhase('one', 'Running');
    expect(cluster.pod('one')?.status?.resourceClaimStatuses).toEqual(resourceClaimStatuses);
    expect(cluster.created).toEqual([['one/app', [`${DRIVER}/device=one-a-x`]]]);
  });

  it('may provide extended resources', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    cluster.createClaim('extended', [DRIVER]);
    const amounts = { limits: { [GPU]: '1' }, requests: { [GPU]: '1' } };
    const pod = cluster.kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one', namespace: 'default' },
      spec: {
        ...{ nodeName: 'node1', terminationGracePeriodSeconds: 1 },
        containers: [
          { name: 'app', image: 'app:1', resources: amounts },
          { name: 'other', image: 'app:1' },
        ],
      },
      status: {
        phase: 'Pending',
        extendedResourceClaimStatus: {
          resourceClaimName: 'extended',
          requestMappings: [{ containerName: 'app', resourceName: GPU, requestName: 'container-0-request-0' }],
        },
      },
    });
    cluster.reserve('extended', pod as Pod);
    await cluster.untilPhase('one', 'Running');
    expect(cluster.created).toEqual([
      ['one/app', [`${DRIVER}/device=extended`]],
      ['one/other', []],
    ]);
    cluster.delete('one');
    await cluster.untilGone('one');
    expect(plugin.prepared.size).toBe(0);
  });
});

describe('a driver', () => {
  it('keeps its pods pending, with an event, until it registers', async () => {
    const cluster = await startCluster();
    cluster.createClaim('gpu', [DRIVER]);
    cluster.bindWith('one', ['gpu']);
    cluster.bindWith('plain', []);
    await cluster.untilPhase('plain', 'Running');
    expect(cluster.events('one')).toContain(
      `FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: DRA driver ${DRIVER} is not registered`,
    );
    expect(cluster.pod('one')?.status?.phase).toBe('Pending');
    expect(cluster.instances('one')).toEqual([]);
    // A pod that never had its claims ends without the driver.
    cluster.createClaim('second', [DRIVER]);
    cluster.bindWith('two', ['second']);
    await cluster.advance(5_000);
    cluster.delete('two');
    await cluster.untilGone('two', 20_000);
    cluster.plug(createTestDraPlugin({ driver: DRIVER }), 'late');
    await cluster.untilPhase('one', 'Running', 20_000);
  });

  it('harms no pod of another driver when it hangs in any call', async () => {
    const [gpu, nic] = [createTestDraPlugin({ driver: DRIVER }), createTestDraPlugin({ driver: OTHER })];
    const cluster = await startCluster(gpu, nic);
    let hang = Promise.withResolvers<void>();
    gpu.fault = () => hang.promise;
    cluster.createClaim('gpu', [DRIVER]);
    cluster.createClaim('shared', [OTHER]);
    cluster.bindWith('hung', ['shared', 'gpu']);
    await cluster.until(() => gpu.calls.length === 1);
    cluster.bindWith('other', ['shared']);
    await cluster.untilPhase('other', 'Running', 5_000);
    await cluster.advance(45_000);
    expect(cluster.events('hung').join()).toContain('NodePrepareResources: ');
    hang.resolve();
    await cluster.untilPhase('hung', 'Running', 30_000);

    hang = Promise.withResolvers();
    cluster.delete('hung');
    cluster.delete('other');
    await cluster.untilGone('other', 20_000);
    // The end of the pod is not reported while another one could get its device.
    await cluster.advance(60_000);
    expect(cluster.running()).toEqual([]);
    expect(cluster.pod('hung')?.status?.phase).toBe('Running');
    hang.resolve();
    await cluster.untilGone('hung', 30_000);
    expect([gpu.prepared.size, nic.prepared.size]).toEqual([0, 0]);
  });

  it('is called again 10 to 15 seconds after a failure', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    plugin.fault = () => 'out of order';
    cluster.createClaim('gpu', [DRIVER]);
    cluster.bindWith('one', ['gpu']);
    await cluster.until(() => plugin.calls.length === 1);
    await cluster.advance(9_900);
    expect(plugin.calls.length).toBe(1);
    plugin.fault = undefined;
    await cluster.advance(5_200);
    expect(plugin.calls.length).toBe(2);
    await cluster.untilPhase('one', 'Running', 5_000);
  });

  it('is not called for a pod that runs: not for its containers, and not after a restart of the agent', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    cluster.createClaim('gpu', [DRIVER]);
    cluster.bindWith('one', ['gpu']);
    await cluster.untilPhase('one', 'Running');
    await cluster.kill();
    cluster.unplug('plugin0');
    await cluster.start();
    await cluster.advance(5_000);
    cluster.node.fake.exitContainer(cluster.instances('one')[0]!.id, 1);
    await cluster.until(() => cluster.startsMs('one').length === 2, 30_000);
    expect(cluster.created.at(-1)).toEqual(['one/app', [`${DRIVER}/device=gpu`]]);
    expect(plugin.calls.length).toBe(1);
    cluster.plug(plugin, 'plugin0');
    await cluster.advance(3_000);
    cluster.delete('one');
    await cluster.untilGone('one');
    expect(plugin.prepared.size).toBe(0);
  });

  it('is called again after a restart of the node, and once in the end', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    cluster.createClaim('gpu', [DRIVER]);
    cluster.bindWith('one', ['gpu']);
    cluster.bindWith('two', ['gpu']);
    await cluster.untilPhase('one', 'Running');
    await cluster.untilPhase('two', 'Running');
    await cluster.kill();
    const { runtime } = cluster.node.fake;
    for (const { id } of (await runtime.listPodSandbox({})).items) {
      await runtime.stopPodSandbox({ podSandboxId: id });
      await runtime.removePodSandbox({ podSandboxId: id });
    }
    await cluster.start();
    await cluster.until(() => cluster.running().length === 2, 60_000);
    expect(plugin.calls.map(({ method }) => method)).toEqual(['NodePrepareResources', 'NodePrepareResources']);
    expect(cluster.created.slice(2).map(([, cdiDevices]) => cdiDevices)).toEqual([
      [`${DRIVER}/device=gpu`],
      [`${DRIVER}/device=gpu`],
    ]);
    cluster.delete('one');
    cluster.delete('two');
    await cluster.untilGone('one');
    await cluster.untilGone('two');
    expect(plugin.calls.slice(2)).toEqual([{ method: 'NodeUnprepareResources', claims: ['gpu'] }]);
  });

  it('loses its ResourceSlices when it has been gone for 30 seconds, and all of them at a start', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = await startCluster(plugin);
    const slice = (name: string, driver: string, nodeName = 'node1') =>
      cluster.kube.objects.apply({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name },
        spec: { driver, nodeName, pool: { name: 'pool', generation: 1, resourceSliceCount: 1 } },
      });
    const slices = () => cluster.kube.objects.list(resources.resourceSlices).map(({ metadata }) => metadata.name);
    slice('gpus', DRIVER);
    slice('nics', OTHER);
    slice('elsewhere', DRIVER, 'node2');
    plugin.setUp(false);
    await cluster.advance(20_000);
    plugin.setUp(true);
    await cluster.advance(60_000);
    expect(slices()).toEqual(['elsewhere', 'gpus', 'nics']);
    plugin.setUp(false);
    await cluster.advance(31_000);
    expect(slices()).toEqual(['elsewhere', 'nics']);
    await cluster.kill();
    await cluster.start();
    await cluster.advance(1_000);
    expect(slices()).toEqual(['elsewhere']);
  });
});

it('the health of devices is in the statuses of containers', async () => {
  const plugin = createTestDraPlugin({ driver: DRIVER });
  const cluster = await startCluster(plugin);
  const device = { poolName: 'pool', deviceName: 'gpu', timeoutMs: 3_600_000 };
  plugin.setHealth([{ ...device, health: 'Healthy' }]);
  cluster.createClaim('gpu', [DRIVER]);
  cluster.bindWith('one', ['gpu']);
  await cluster.untilPhase('one', 'Running');
  const health = () => cluster.pod('one')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus;
  const statusOf = (more: object) => [
    { name: 'claim:gpu', resources: [{ resourceID: `${DRIVER}/device=gpu`, ...more }] },
  ];
  expect(health()).toEqual(statusOf({ health: 'Healthy' }));
  plugin.setHealth([{ ...device, health: 'Unhealthy', message: 'too hot' }]);
  await cluster.advance(2_000);
  expect(health()).toEqual(statusOf({ health: 'Unhealthy', message: 'too hot' }));
  plugin.setHealth([{ ...device, health: 'Healthy' }]);
  await cluster.advance(2_000);
  expect(health()).toEqual(statusOf({ health: 'Healthy' }));
  plugin.endHealth();
  await cluster.advance(2_000);
  expect(health()).toEqual(statusOf({ health: 'Unknown' }));
  await cluster.advance(6_000);
  expect(health()).toEqual(statusOf({ health: 'Healthy' }));
});
