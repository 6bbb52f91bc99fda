import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { admin, createFakeKube, type FakeKube } from '@rxlet/fake-kube';
import type { Node, Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import type { KubeTransport } from '@rxlet/kube-client';
import type { SharedPort } from '@rxlet/kubelet-server';
import { createFleetClients } from '../cluster/fleet-clients.ts';
import { createFleet, type Fleet } from '../fleet/create-fleet.ts';
import type { NodeFaultRule } from '../plan/node-faults.ts';
import { DEFAULT_TEMPLATE } from '../plan/node-template.ts';
import { planNodes } from '../plan/plan-nodes.ts';

/** A fleet and its API server on a virtual clock. */
export interface VirtualFleet extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly kube: FakeKube;
  readonly fleet: Fleet;
  node(name: string): Node | undefined;
  /** Returns a pod of the namespace `default`. */
  pod(name: string): Pod | undefined;
  /** Creates a pod that is bound to a node. */
  bind(name: string, nodeName: string, spec?: Partial<PodSpec>, metadata?: Pod['metadata']): void;
  /** Moves the clock, by a second at a time, until `isTrue` is; throws after `limitSeconds` (600). Returns the seconds. */
  until(isTrue: () => boolean, limitSeconds?: number): Promise<number>;
}

/** Options of {@link startVirtualFleet}. */
export interface VirtualFleetOptions {
  readonly nodes?: number;
  readonly faults?: readonly NodeFaultRule[];
  readonly actsAsNodes?: boolean;
}

/** Starts a fleet with nodes `fake-0`, `fake-1`, …, and waits until they are ready. */
export async function startVirtualFleet({
  nodes = 1,
  faults = [],
  actsAsNodes = false,
}: VirtualFleetOptions): Promise<VirtualFleet> {
  const clock = createVirtualClock();
  const ports = { clock, random: seededRandom(1), logger: noopLogger };
  const kube = createFakeKube(ports, { authorization: 'node' });
  const transport: KubeTransport = { send: (request) => kube.handle({ ...request, user: admin }) };
  const clients = createFleetClients({ ...ports, transport }, { eventsPerSecond: 1000, actsAsNodes });
  const plan = {
    ...{ nodes, faults, prefix: 'fake-', shard: { index: 1, count: 1 }, template: DEFAULT_TEMPLATE },
    ...{ zones: [], address: '127.0.0.1', firstPort: 20_000 },
  };
  const fleet = createFleet(
    { ...ports, ...clients, server: { listen: async (port) => silentPort(port) } },
    planNodes(plan),
    {
      reportsEvents: true,
      behaviours: [],
    },
  );
  const until = async (isTrue: () => boolean, limitSeconds = 600): Promise<number> => {
    for (let seconds = 0; seconds <= limitSeconds; seconds += 1) {
      if (isTrue()) return seconds;
      await clock.advance(1000);
    }
    throw new Error(`not true after ${String(limitSeconds)} s`);
  };
  let isStarted = false;
  const starting = fleet.start().then(() => void (isStarted = true));
  await Promise.race([starting, until(() => isStarted)]);
  return {
    clock,
    kube,
    fleet,
    until,
    node: (name) => kube.objects.get(resources.nodes, name) as Node | undefined,
    pod: (name) => kube.objects.get(resources.pods, name, 'default') as Pod | undefined,
    bind(name, nodeName, spec = {}, metadata = {}) {
      kube.objects.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name, namespace: 'default' },
        spec: { containers: [{ name: 'main', image: 'nginx:1' }], terminationGracePeriodSeconds: 1, ...spec, nodeName },
        status: { phase: 'Pending' },
      });
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
      await clients[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}

/** A port without requests. */
function silentPort(port: number): SharedPort {
  return {
    port,
    clientAuthorities: createCurrentValue({}) as unknown as SharedPort['clientAuthorities'],
    admit: () => undefined,
    answer: () => ({ [Symbol.dispose]: () => undefined }),
  };
}
