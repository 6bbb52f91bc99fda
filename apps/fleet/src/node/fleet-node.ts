import { type Agent, createAgent } from '@rxlet/agent';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { SharedPort } from '@rxlet/kubelet-server';
import type { ContainerBehaviour } from '../plan/behaviours.ts';
import type { NodePlan } from '../plan/plan-nodes.ts';
import { nodeModules } from './node-modules.ts';
import { createSimulatedMachine, type SimulatedMachine } from './simulated-machine.ts';
import { whenReady } from './when-ready.ts';

/** Ports of {@link createFleetNode}. */
export interface FleetNodePorts {
  readonly clients: KubeClients;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Port at which the node's API is served. */
  readonly sharedPort: SharedPort;
}

/** Options that all nodes of a fleet have. */
export interface FleetNodeOptions {
  /** Whether events are reported to the API server. */
  readonly reportsEvents: boolean;
  readonly behaviours: readonly ContainerBehaviour[];
}

/** A node agent on a simulated machine. Disposal ends it with its pods. */
export interface FleetNode extends AsyncDisposable {
  readonly name: string;
  readonly machine: SimulatedMachine;
  /** Starts the agent. Resolves when the API server shows the node as ready. */
  start(signal: AbortSignal): Promise<void>;
  /** Ends the agent. Containers keep running. */
  stopAgent(): Promise<void>;
  /** Starts another agent after {@link stopAgent}, on what the machine has. */
  startAgent(): Promise<void>;
}

/** Creates a node whose runtime, files and machine are in memory. Its agent is that of real nodes. */
export function createFleetNode(ports: FleetNodePorts, plan: NodePlan, options: FleetNodeOptions): FleetNode {
  const { clients, clock, random, logger, sharedPort } = ports;
  const { name, size, labels, taints, address } = plan;
  const machine = createSimulatedMachine(ports, plan, options.behaviours);
  const { runtime: fake, files } = machine;
  let agent: Agent | undefined;

  const createNodeAgent = (): Promise<Agent> =>
    createAgent(
      {
        runtime: fake.runtime,
        images: fake.images,
        pullProgress: fake.pullProgress,
        node: {
          name,
          rootDirectory: '/var/lib/kubelet',
          podLogsDirectory: '/var/log/pods',
          memoryCapacityBytes: BigInt(size.memoryBytes),
          nodeIps: [address],
        },
        files: files.nodeFiles,
        hostFiles: files.hostFiles,
        clock,
        random,
        logger: logger.child({ node: name }),
      },
      nodeModules({
        clients,
        machine,
        size,
        sharedPort,
        startTimeMs: clock.now(),
        reportsEvents: options.reportsEvents,
        status: { settings: { labels, taints, maxPods: size.maxPods, kubeletPort: sharedPort.port } },
      }),
      {},
    );
  const startAgent = async (): Promise<void> => {
    agent = await createNodeAgent();
    await agent.start();
  };
  const stopAgent = async (): Promise<void> => {
    const ended = agent;
    agent = undefined;
    await ended?.[Symbol.asyncDispose]();
  };
  return {
    name,
    machine,
    async start(signal) {
      await startAgent();
      await whenReady({ client: clients.main, logger }, name, signal);
    },
    startAgent,
    stopAgent,
    async [Symbol.asyncDispose]() {
      await stopAgent();
      await machine[Symbol.asyncDispose]();
    },
  };
}
