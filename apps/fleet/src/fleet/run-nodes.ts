import { once } from 'node:events';
import { createLifetime, type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import { releaseMemoryAtRest } from '@rxlet/component-base/release-memory';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { createSharedHttpsServer } from '@rxlet/kubelet-server';
import { createFleetClients } from '../cluster/fleet-clients.ts';
import type { FleetCluster } from '../cluster/fleet-cluster.ts';
import type { ContainerBehaviour } from '../plan/behaviours.ts';
import { type FleetPlan, planNodes } from '../plan/plan-nodes.ts';
import { createFleet } from './create-fleet.ts';

/** Nodes that one thread runs. Plain data, which another thread can be given. */
export interface NodesTask {
  readonly plan: FleetPlan;
  readonly behaviours: readonly ContainerBehaviour[];
  readonly eventsPerSecond: number;
  /** Whether each node acts as its own user. */
  readonly actsAsNodes: boolean;
  /** Whether the Node objects are removed at the end. */
  readonly removesNodes: boolean;
}

/** Ports of {@link runNodes}. */
export interface NodesIo {
  readonly logger: Logger;
  /** Ends the nodes. */
  readonly signal: AbortSignal;
  /** Called when all nodes are ready. */
  readonly onReady: (nodes: number) => void;
}

/** Heap beyond which a release of memory would block the nodes for longer than two seconds: leases are not renewed and probes wait meanwhile. */
const MAX_RELEASE_BYTES = 2 ** 31;

/** Runs the nodes of a task until the signal aborts. Rejects when they cannot start. */
export async function runNodes(
  { plan, behaviours, eventsPerSecond, actsAsNodes, removesNodes }: NodesTask,
  { transport, identity }: Pick<FleetCluster, 'transport' | 'identity'>,
  { logger, signal, onReady }: NodesIo,
): Promise<void> {
  await using lifetime = createLifetime(signal);
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(() => part[Symbol.asyncDispose]());
    return part;
  };
  const ports = { clock: systemClock, random: systemRandom, logger };
  const clients = own(createFleetClients({ ...ports, transport }, { eventsPerSecond, actsAsNodes }));
  const { certificate, clientCaPem } = identity;
  const server = own(
    createSharedHttpsServer(ports, {
      address: plan.address,
      certificate: createCurrentValue<TlsKeyPair | undefined>(certificate),
      clientCaPem,
    }),
  );
  const fleet = createFleet({ ...ports, server, admin: clients.admin, clientsOf: clients.clientsOf }, planNodes(plan), {
    reportsEvents: eventsPerSecond > 0,
    behaviours,
  });
  lifetime.defer(async () => {
    await fleet[Symbol.asyncDispose]();
    if (removesNodes) await fleet.removeNodes();
  });
  const isStarted = await startUnlessStopped(() => fleet.start(), signal);
  if (!isStarted) return;
  using _releases = releaseMemoryAtRest({ clock: systemClock }, { quietCpu: 0.6, maxHeapBytes: MAX_RELEASE_BYTES });
  onReady(fleet.nodes.length);
  if (!signal.aborted) await once(signal, 'abort');
}

/** @returns false when the signal ended the start */
async function startUnlessStopped(start: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  const starting = start();
  starting.catch(() => undefined);
  await Promise.race([starting, stopped]);
  return !signal.aborted;
}
