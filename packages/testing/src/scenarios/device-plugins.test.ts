import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { onAbort } from '@rxlet/component-base';
import { type DevicePlugin, devicePlugins, type PluginDevice } from '@rxlet/device-manager';
import { create } from '@bufbuild/protobuf';
import { ContainerAllocateResponseSchema } from '@rxlet/device-manager/testing';
import type { ContainerConfig } from '@rxlet/cri-api';
import type { Container, Node, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import { nodePlugins } from '@rxlet/node-plugins';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

const GPU = 'example.com/gpu';
const SOCKET = '/root/plugins_registry/gpu-reg.sock';

function gpuPod(name: string, count: number, more: Partial<Container> = {}): Pod {
  const resources = { limits: { [GPU]: String(count) }, requests: { [GPU]: String(count) } };
  return manifestPod(name, { containers: [{ name: 'app', image: 'app:1', resources, ...more }] });
}

/** A node with a device plugin in memory, which the plugin watcher finds by its socket. */
function createDeviceNode(node: TestNode, count = 2) {
  let devices: readonly PluginDevice[] = Array.from({ length: count }, (_, index) => ({
    id: `d${String(index)}`,
    isHealthy: true,
    numaNodes: [],
  }));
  let publish: (() => void) | undefined;
  /** Holds up allocations while it is set. */
  let hang: PromiseWithResolvers<void> | undefined;
  const allocated: string[] = [];
  /** Configurations of the containers that were created. */
  const configs: ContainerConfig[] = [];
  const recorder = contributing(
    {
      contributions: [
        contribute(containerSteps, {
          name: 'recorder',
          preCreate: (_pod, _container, config) => void configs.push(config),
        }),
      ],
    },
    'recorder',
  );
  const connect = (): DevicePlugin => ({
    options: async () => ({ preStartRequired: false, preferredAllocationAvailable: false }),
    watch: (onDevices, signal) =>
      new Promise((resolve) => {
        publish = () => onDevices(devices);
        publish();
        onAbort(signal, () => resolve());
      }),
    prefer: async () => [],
    async allocate(ids) {
      await hang?.promise;
      allocated.push(...ids);
      return create(ContainerAllocateResponseSchema, {
        envs: { GPUS: ids.join(','), NAME: 'of the plugin' },
        devices: ids.map((id) => ({ hostPath: `/dev/${id}`, containerPath: `/dev/${id}`, permissions: 'rw' })),
        mounts: [{ hostPath: '/lib/gpu', containerPath: '/gpu', readOnly: true }],
        annotations: { 'example.com/gpus': ids.join(',') },
        cdiDevices: ids.map((id) => ({ name: `${GPU}=${id}` })),
      });
    },
    preStart: async () => undefined,
    [Symbol.dispose]: () => undefined,
  });
  const info = { type: 'DevicePlugin', name: GPU, supportedVersions: ['v1beta1'] };
  const server = createTestPluginServer([Registration], {
    answer: async ({ name }) => (name === 'GetInfo' ? info : {}),
  });
  const serve = async () => ({ [Symbol.asyncDispose]: async () => undefined });
  return {
    allocated,
    configs,
    start: () => node.start({ modules: [nodePlugins(server), devicePlugins({ connect, serve }), recorder] }),
    plug: () => node.files.putSpecial(SOCKET, 'socket'),
    hang: () => void (hang = Promise.withResolvers()),
    goOn: () => hang?.resolve(),
    unplug: () => node.files.remove(SOCKET),
    setDevices(next: readonly PluginDevice[]) {
      devices = next;
      publish?.();
    },
    status: (name: string) =>
      node
        .agent()
        .pods.list()
        .find(({ metadata }) => metadata?.name?.startsWith(name))?.status,
  };
}

describe('devices of plugins', () => {
  it('reach containers, stay over a kill, and are free when their pod has ended', async () => {
    await using node = createTestNode();
    const made = createDeviceNode(node);
    await made.start();
    made.plug();
    await node.advance(3_000);
    const one = gpuPod('one', 1, { env: [{ name: 'NAME', value: 'of the pod' }], args: ['$(GPUS)'] });
    node.desire(one);
    await node.until(() => node.running().includes('one/app'));
    expect(made.allocated).toEqual(['d0']);
    const [config] = made.configs;
    expect(config).toMatchObject({ args: ['d0'], annotations: { 'example.com/gpus': 'd0' } });
    expect(config?.devices).toMatchObject([{ hostPath: '/dev/d0', containerPath: '/dev/d0', permissions: 'rw' }]);
    expect(config?.CDIDevices).toMatchObject([{ name: `${GPU}=d0` }]);
    expect(config?.mounts[0]).toMatchObject({ hostPath: '/lib/gpu', containerPath: '/gpu', readonly: true });
    expect(config?.envs.slice(0, 2).map(({ key, value }) => `${key}=${Buffer.from(value).toString()}`)).toEqual([
      'GPUS=d0',
      'NAME=of the pod',
    ]);
    expect(made.status('one')?.containerStatuses?.[0]).toMatchObject({
      allocatedResourcesStatus: [{ name: GPU, resources: [{ resourceID: 'd0', health: 'Healthy' }] }],
    });

    made.setDevices([
      { id: 'd0', isHealthy: false, numaNodes: [] },
      { id: 'd1', isHealthy: true, numaNodes: [] },
    ]);
    await node.until(
      () =>
        made.status('one')?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources?.[0]?.health ===
        'Unhealthy',
    );
    await node.kill();
    made.unplug();
    await made.start();
    await node.advance(5_000);
    made.plug();
    await node.advance(5_000);
    expect(node.startsMs('one')).toHaveLength(1);
    expect(made.allocated).toEqual(['d0']);

    node.desire(one, gpuPod('two', 1));
    await node.until(() => node.running().includes('two/app'));
    expect(made.allocated).toEqual(['d0', 'd1']);
    made.setDevices(['d0', 'd1'].map((id) => ({ id, isHealthy: true, numaNodes: [] })));
    node.desire(gpuPod('two', 1), gpuPod('three', 2));
    await node.until(() => made.status('three')?.phase === 'Failed');
    expect(made.status('three')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: expect.stringContaining(
        `requested number of devices unavailable for ${GPU}. Requested: 2, Available:`,
      ) as string,
    });
    await node.until(() => !node.running().includes('one/app'));
    await node.advance(5_000);
    node.desire(gpuPod('two', 1), gpuPod('four', 1));
    await node.until(() => node.running().includes('four/app'));
    expect(made.allocated).toEqual(['d0', 'd1', 'd0']);
    node.desire();
    await node.until(() => node.agent().pods.list().length === 0);
    await node.expectNoLeaks();
  });

  it('hold up no pods without devices while their plugin hangs', async () => {
    await using node = createTestNode();
    const made = createDeviceNode(node);
    await made.start();
    made.plug();
    await node.advance(3_000);
    made.hang();
    const plain = manifestPod('plain', { containers: [{ name: 'app', image: 'app:1' }] });
    node.desire(gpuPod('one', 1), plain, gpuPod('two', 1));
    await node.advance(3_000);
    expect(node.running()).toEqual(['plain/app']);
    made.goOn();
    await node.until(() => node.running().length === 3);
    expect(made.allocated).toEqual(['d0', 'd1']);
  });

  it("leave the node's resources five minutes after their plugin has gone", async () => {
    await using node = createTestNode();
    const made = createDeviceNode(node);
    await made.start();
    node.desire(gpuPod('early', 1));
    await node.until(() => made.status('early')?.phase === 'Failed');
    expect(made.status('early')).toMatchObject({
      reason: 'PodFeatureUnsupported',
      message: expect.stringContaining(GPU) as string,
    });
    made.plug();
    await node.advance(3_000);
    node.desire(gpuPod('held', 1));
    await node.until(() => node.running().includes('held/app'));
    made.unplug();
    await node.advance(304_000);
    // The pod that has a device keeps the resource known.
    node.desire(gpuPod('held', 1), gpuPod('late', 1));
    await node.until(() => made.status('late')?.phase === 'Failed');
    expect(made.status('late')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: `Pod was rejected: Allocate failed due to cannot allocate unregistered device ${GPU}, which is unexpected`,
    });
    expect(node.running()).toEqual(['held/app']);
    await node.expectNoLeaks();
  });
});

it('lets plugins register before the node is registered, as in a kubelet', async () => {
  await using cluster = createTestCluster();
  const listening = Promise.withResolvers<void>();
  const serve = async () => {
    await listening.promise;
    return { [Symbol.asyncDispose]: async () => undefined };
  };
  const starting = cluster.start({ modules: [devicePlugins({ serve })] });
  const nodes = (): readonly Node[] => cluster.kube.objects.list(resources.nodes) as readonly Node[];
  await cluster.node.clock.advance(30_000);
  expect(nodes()).toEqual([]);
  listening.resolve();
  await starting;
  await cluster.until(() => nodes().length === 1, 10_000);
});
