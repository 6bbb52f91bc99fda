import { type Agent, createAgent } from '@rxlet/agent';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import { createFakeRuntime, type FakeRuntime } from '@rxlet/fake-cri';
import { createHostFiles, filesOfTree } from '@rxlet/fake-cri/files';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { SharedPort } from '@rxlet/kubelet-server';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { ContainerBehaviour } from '../plan/behaviours.ts';
import type { NodePlan } from '../plan/plan-nodes.ts';
import { createNodeDisk } from './node-disk.ts';
import { createNodeKernel } from './node-kernel.ts';
import { createNodeMachine } from './node-machine.ts';
import { nodeModules } from './node-modules.ts';
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
  readonly runtime: FakeRuntime;
  readonly agent: Agent;
  /** Starts the agent. Resolves when the API server shows the node as ready. */
  start(signal: AbortSignal): Promise<void>;
}

/** Creates a node whose runtime, files and machine are in memory. Its agent is that of real nodes. */
export async function createFleetNode(
  ports: FleetNodePorts,
  plan: NodePlan,
  options: FleetNodeOptions,
): Promise<FleetNode> {
  const { clients, clock, random, logger, sharedPort } = ports;
  const { name, size, labels, taints, address } = plan;
  const startTimeMs = clock.now();
  const files = createMemoryFiles({
    files: { '/etc/hosts': '127.0.0.1 localhost\n', '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
  });
  const fake = createFakeRuntime(
    { clock, random, logger, logs: { open: files.openToAppend }, hostFiles: createHostFiles(filesOfTree(files)) },
    { podCidr: plan.podCidr, cgroupDriver: 'cgroupfs' },
  );
  for (const { target, script } of options.behaviours) fake.setScript(target, script);
  const machine = createNodeMachine(name, address, size);
  const disk = createNodeDisk(clock, size.diskBytes);
  const agent = await createAgent(
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
      fake,
      files,
      machine,
      size,
      disk,
      kernel: createNodeKernel(fake, size, startTimeMs),
      sharedPort,
      startTimeMs,
      reportsEvents: options.reportsEvents,
      status: { settings: { labels, taints, maxPods: size.maxPods, kubeletPort: sharedPort.port } },
    }),
    {},
  );
  return {
    name,
    runtime: fake,
    agent,
    async start(signal) {
      await agent.start();
      await whenReady({ client: clients.main, logger }, name, signal);
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}
