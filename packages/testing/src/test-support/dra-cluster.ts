import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import type { Clock } from '@rxlet/component-base';
import { type DraPlugin, dynamicResources } from '@rxlet/dra-manager';
import type { TestDraPlugin } from '@rxlet/dra-manager/testing';
import type { Pod, PodSpec, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { nodePlugins, withCallDeadline } from '@rxlet/node-plugins';
import { killableFiles } from '../killable-port.ts';
import { createTestCluster } from '../test-cluster.ts';
import { contributing } from '../test-modules.ts';

/** A node of a cluster with the plugins of DRA drivers in memory, which the plugin watcher finds by their sockets. */
export function createDraCluster(...plugins: readonly TestDraPlugin[]) {
  const cluster = createTestCluster();
  const { kube, node } = cluster;
  const bySocket = new Map<string, TestDraPlugin>();
  /** CDI devices of the containers, in the order of their creation. */
  const created: (readonly [name: string, cdiDevices: readonly string[]])[] = [];
  const recorder = contributing(
    {
      contributions: [
        contribute(containerSteps, {
          name: 'recorder',
          preCreate({ metadata }, { name }, { CDIDevices }) {
            created.push([`${metadata?.name ?? ''}/${name}`, CDIDevices.map((device) => device.name)]);
          },
        }),
      ],
    },
    'recorder',
  );
  const socketOf = (name: string): string => `/root/plugins_registry/${name}.sock`;
  const plug = (plugin: TestDraPlugin, name: string): void => {
    bySocket.set(socketOf(name), plugin);
    node.files.putSpecial(socketOf(name), 'socket');
  };
  plugins.forEach((plugin, index) => plug(plugin, `plugin${String(index)}`));
  const reserve = (claim: string, pod: Pod): void => {
    const { status } = kube.objects.get(resources.resourceClaims, claim, 'default') as ResourceV1ResourceClaim;
    const { name = '', uid = '' } = pod.metadata ?? {};
    const reservedFor = [...(status?.reservedFor ?? []), { resource: 'pods', name, uid }];
    kube.objects.merge(resources.resourceClaims, claim, 'default', { status: { reservedFor } }, 'status');
  };
  return {
    ...cluster,
    created,
    /** Starts an agent. Its calls of plugins end with its life. */
    start: () =>
      cluster.start({
        modules: (life) => [
          nodePlugins({
            transport: (socketPath, ...call) => bySocket.get(socketPath)!.transport(socketPath, ...call),
          }),
          dynamicResources({
            connect: (...to) => killableFiles(withDeadlines(bySocket.get(to[0])!.connect(...to), node.clock), life),
          }),
          recorder,
        ],
      }),
    plug,
    unplug: (name: string) => node.files.remove(socketOf(name)),
    /** Creates a claim that is allocated by drivers. */
    createClaim(name: string, drivers: readonly string[], metadata: Pod['metadata'] = {}): void {
      const results = drivers.map((driver) => ({ driver, request: 'r', pool: 'pool', device: name }));
      kube.objects.apply({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { ...metadata, name, namespace: 'default' },
        spec: {},
        status: { allocation: { devices: { results } } },
      });
    },
    reserve,
    /** Creates a pod that uses claims, which are reserved for it. */
    bindWith(name: string, claims: readonly string[], spec: Partial<PodSpec> = {}): Pod {
      const resourceClaims = claims.map((claim) => ({ name: claim, resourceClaimName: claim }));
      const used = { claims: claims.map((claim) => ({ name: claim })) };
      const containers = [{ name: 'app', image: 'app:1', resources: used }];
      const pod = cluster.bind(name, { containers, resourceClaims, ...spec });
      for (const claim of claims) reserve(claim, pod);
      return pod;
    },
    /** Deletes a pod, which the node then ends. */
    delete: (name: string) => kube.objects.delete(resources.pods, name, 'default'),
    untilGone: (name: string, limitMs = 120_000) => cluster.until(() => cluster.pod(name) === undefined, limitMs),
    /** Returns reason and message of the events of a pod. */
    events: (name: string) =>
      node
        .agent()
        .events.list()
        .filter(({ object }) => object.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`),
  };
}

/** Adds the deadlines that calls over a socket have. */
function withDeadlines(plugin: DraPlugin, clock: Clock): DraPlugin {
  return {
    ...plugin,
    prepare: (claims, call) => withCallDeadline(clock, call, (signal) => plugin.prepare(claims, { ...call, signal })),
    unprepare: (claims, call) =>
      withCallDeadline(clock, call, (signal) => plugin.unprepare(claims, { ...call, signal })),
  };
}
