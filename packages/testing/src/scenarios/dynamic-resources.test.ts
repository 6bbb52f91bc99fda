import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { dynamicResources } from '@rxlet/dra-manager';
import { createTestDraPlugin, type TestDraPlugin } from '@rxlet/dra-manager/testing';
import type { Pod, PodSpec, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { nodePlugins } from '@rxlet/node-plugins';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';
import { contributing } from '../test-modules.ts';

const DRIVER = 'gpu.example.com';

/** A node of a cluster with the plugins of DRA drivers in memory, which the plugin watcher finds by their sockets. */
function createDraCluster(...plugins: readonly TestDraPlugin[]) {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { kube, node } = cluster;
  const bySocket = new Map<string, TestDraPlugin>();
  /** CDI devices of the containers, by `<pod>/<container>`, in the order of their creation. */
  const created: [name: string, cdiDevices: readonly string[]][] = [];
  const recorder = contributing(
    {
      contributions: [
        contribute(containerSteps, {
          name: 'recorder',
          preCreate: ({ metadata }, { name }, { CDIDevices }) =>
            void created.push([`${metadata?.name ?? ''}/${name}`, CDIDevices.map((device) => device.name)]),
        }),
      ],
    },
    'recorder',
  );
  const modules = () => [
    nodePlugins({
      transport: (socketPath, ...call) => bySocket.get(socketPath)!.transport(socketPath, ...call),
    }),
    dynamicResources({ connect: (socketPath, service) => bySocket.get(socketPath)!.connect(socketPath, service) }),
    recorder,
  ];
  const socketOf = (name: string): string => `/root/plugins_registry/${name}.sock`;
  const plug = (plugin: TestDraPlugin, name: string): void => {
    bySocket.set(socketOf(name), plugin);
    node.files.putSpecial(socketOf(name), 'socket');
  };
  plugins.forEach((plugin, index) => plug(plugin, `plugin${String(index)}`));
  return {
    ...cluster,
    created,
    start: () => cluster.start({ modules: modules() }),
    plug,
    unplug: (name: string) => node.files.remove(socketOf(name)),
    /** Creates a claim that is allocated by these drivers, and reserved for pods by their UIDs. */
    createClaim(name: string, drivers: readonly string[], podUids: readonly string[] = []): void {
      const results = drivers.map((driver) => ({ driver, request: 'r', pool: 'pool', device: name }));
      kube.objects.apply({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name, namespace: 'default' },
        spec: {},
        status: {
          allocation: { devices: { results } },
          reservedFor: podUids.map((uid) => ({ resource: 'pods', name: uid, uid })),
        },
      });
    },
    /** Creates a pod that uses claims, and reserves them for it. */
    bindWith(name: string, claims: readonly string[], spec: Partial<PodSpec> = {}): Pod {
      const resourceClaims = claims.map((claim) => ({ name: claim, resourceClaimName: claim }));
      const containers = [
        { name: 'app', image: 'app:1', resources: { claims: claims.map((claim) => ({ name: claim })) } },
      ];
      const pod = cluster.bind(name, { containers, resourceClaims, ...spec });
      for (const claim of claims) {
        const { status } = kube.objects.get(resources.resourceClaims, claim, 'default') as ResourceV1ResourceClaim;
        const reservedFor = [...(status?.reservedFor ?? []), { resource: 'pods', name, uid: pod.metadata!.uid! }];
        kube.objects.merge(resources.resourceClaims, claim, 'default', { status: { reservedFor } }, 'status');
      }
      return pod;
    },
    /** Deletes a pod and waits until the API server has removed it. */
    async remove(name: string): Promise<void> {
      kube.objects.delete(resources.pods, name, 'default');
      await cluster.until(() => cluster.pod(name) === undefined, 120_000);
    },
    events: (name: string) =>
      node
        .agent()
        .events.list()
        .filter((event) => event.object.name === name),
  };
}

describe('claims of pods', () => {
  it('get prepared before the sandbox, reach the container, and get unprepared after it', async () => {
    const plugin = createTestDraPlugin({ driver: DRIVER });
    const cluster = createDraCluster(plugin);
    cluster.createClaim('gpu', [DRIVER]);
    await cluster.start();
    await cluster.advance(3_000);
    cluster.bindWith('one', ['gpu']);
    await cluster.untilPhase('one', 'Running');
    expect(cluster.created).toEqual([['one/app', [`${DRIVER}/device=gpu`]]]);
    expect(plugin.calls).toEqual([{ method: 'NodePrepareResources', claims: ['gpu'] }]);
    await cluster.remove('one');
    expect(plugin.calls.slice(1)).toEqual([{ method: 'NodeUnprepareResources', claims: ['gpu'] }]);
    expect(plugin.prepared.size).toBe(0);
    await cluster.expectNoLeaks();
  });
});
