import {
  type Clock,
  createLifetime,
  createSemaphore,
  errorMessage,
  type Logger,
  type Random,
} from '@rxlet/component-base';
import { resources } from '@rxlet/kube-api/resources';
import { isKubeError, type KubeClient, type KubeClients } from '@rxlet/kube-api/client';
import type { SharedHttpsServer } from '@rxlet/kubelet-server';
import { runFaults } from '../faults/run-faults.ts';
import type { NodePlan } from '../plan/plan-nodes.ts';
import { createFleetNode, type FleetNode, type FleetNodeOptions } from '../node/fleet-node.ts';

/** Ports of {@link createFleet}. */
export interface FleetPorts {
  /** Returns the clients of a node. */
  readonly clientsOf: (nodeName: string) => KubeClients;
  /** Client of an administrator. */
  readonly admin: KubeClient;
  /** Server of the API of all nodes. */
  readonly server: Pick<SharedHttpsServer, 'listen'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Nodes of one process. Disposal ends their agents; the Node objects stay. */
export interface Fleet extends AsyncDisposable {
  /** Starts all nodes. Resolves when each is ready; rejects when one cannot start, and when the fleet is disposed of. */
  start(): Promise<void>;
  /** Nodes that have begun to start. */
  readonly nodes: readonly FleetNode[];
  /** Removes the Node objects. Call it after the disposal, because an agent registers its node again. */
  removeNodes(): Promise<void>;
}

/** Nodes that start at the same time. Each makes some ten requests until it is ready. */
const STARTS = 32;
/** Nodes that end at the same time. */
const ENDS = 32;
/** Removals at the same time. */
const REMOVALS = 32;

/** Creates the nodes of a plan. */
export function createFleet(ports: FleetPorts, plans: readonly NodePlan[], options: FleetNodeOptions): Fleet {
  const { admin, clientsOf, logger } = ports;
  const lifetime = createLifetime();
  const nodes: FleetNode[] = [];
  lifetime.defer(async () => {
    // A node publishes its last statuses: all at once, they would be tens of thousands of requests.
    const ends = createSemaphore(ENDS);
    await Promise.all(nodes.map((node) => ends.run(async () => node[Symbol.asyncDispose]())));
  });

  const startNode = async (plan: NodePlan): Promise<void> => {
    lifetime.signal.throwIfAborted();
    const sharedPort = await ports.server.listen(plan.port);
    const node = createFleetNode({ ...ports, clients: clientsOf(plan.name), sharedPort }, plan, options);
    nodes.push(node);
    await node.start(lifetime.signal);
    if (plan.faults.length > 0) void lifetime.track(runFaults(ports, node, plan.faults, lifetime.signal));
  };
  const removeNode = async ({ name }: NodePlan): Promise<void> => {
    try {
      // A node may not remove itself.
      await admin.delete(resources.nodes, { name });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return;
      logger.warn('cannot remove a node', { node: name, error: errorMessage(error) });
    }
  };

  return {
    nodes,
    async start() {
      const starts = createSemaphore(STARTS);
      await lifetime.track(
        Promise.all(plans.map((plan) => starts.run(() => startNode(plan), lifetime.signal))).then(() => undefined),
      );
    },
    async removeNodes() {
      const removals = createSemaphore(REMOVALS);
      await Promise.all(plans.map((plan) => removals.run(() => removeNode(plan))));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
