import { createLifetime, errorMessage, type Logger, systemClock } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger, runParsed, USAGE_ERROR } from '@rxlet/component-base/command';
import { KubeconfigError } from '@rxlet/kube-client';
import { createHostMachine } from '@rxlet/machine';
import { createHostFiles } from '@rxlet/node-files';
import { startFakeCluster } from './cluster/fake-cluster.ts';
import { connectRealCluster } from './cluster/real-cluster.ts';
import type { FleetCluster } from './cluster/fleet-cluster.ts';
import { isExpectedFailure } from './expected-failure.ts';
import { type NodesTask, runNodes } from './fleet/run-nodes.ts';
import { type Flags, parseFlags } from './flags.ts';
import { type FleetBehaviours, readBehaviours } from './plan/behaviours.ts';
import { InputFileError } from './plan/input-file-error.ts';
import { DEFAULT_TEMPLATE, readTemplate } from './plan/node-template.ts';
import { readKeyPair } from './plan/read-key-pair.ts';
import type { NodeFaultRule } from './plan/node-faults.ts';
import type { FleetPlan } from './plan/plan-nodes.ts';
import { divideShard } from './plan/shard.ts';
import { runWorkers, WorkerFailure } from './workers/run-workers.ts';

/** Runs `rxlet-fleet` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen or reach the cluster. */
export function run(args: readonly string[], io: CommandIo): Promise<number> {
  return runParsed('rxlet-fleet', parseFlags(args), io, (flags) => reportErrors(flags, io));
}

/** Runs the command. An expected failure is one line on standard error. */
async function reportErrors(flags: Flags, io: CommandIo): Promise<number> {
  try {
    await runFleet(flags, io);
    return 0;
  } catch (error) {
    const isUsage = error instanceof InputFileError || error instanceof KubeconfigError;
    if (!isUsage && !isExpectedFailure(error) && !(error instanceof WorkerFailure)) throw error;
    io.stderr(`rxlet-fleet: ${errorMessage(error)}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

async function runFleet(flags: Flags, io: CommandIo): Promise<void> {
  const logger = createConsoleLogger(io.stderr, flags.verbosity);
  const { containers: behaviours, nodeFaults } =
    flags.script === undefined ? NO_BEHAVIOURS : await readBehaviours(flags.script);
  const plan = await planOf(flags, nodeFaults);
  await using lifetime = createLifetime(io.signal);
  const certificate = flags.nodeCertificate && (await readKeyPair(flags.nodeCertificate));
  const cluster = await connect(flags, plan, logger);
  lifetime.defer(() => cluster[Symbol.asyncDispose]());
  const identity = certificate === undefined ? cluster.identity : { ...cluster.identity, certificate };
  if (cluster.note !== undefined) io.stdout(`${cluster.note}\n`);
  const startedMs = systemClock.monotonicNow();
  const onReady = (nodes: number): void => {
    const seconds = ((systemClock.monotonicNow() - startedMs) / 1000).toFixed(1);
    io.stdout(`${String(nodes)} nodes are ready after ${seconds} s\n`);
  };
  const { eventsPerSecond, nodeCredentials: actsAsNodes, workers, verbosity } = flags;
  const removesNodes = !flags.keepsNodes && cluster.outlivesFleet;
  const task: NodesTask = { plan, behaviours, eventsPerSecond, actsAsNodes, removesNodes };
  if (workers === 1) {
    await runNodes(task, { ...cluster, identity }, { logger, signal: io.signal, onReady });
    return;
  }
  const tasks = divideShard(plan.shard, workers).map((shard) => ({
    ...{ ...task, plan: { ...plan, shard }, eventsPerSecond: Math.ceil(eventsPerSecond / workers) },
    ...{ kubeconfig: cluster.kubeconfig, identity, verbosity },
  }));
  await runWorkers(tasks, { stderr: io.stderr, signal: io.signal, onReady });
}

function connect(flags: Flags, { address }: FleetPlan, logger: Logger): Promise<FleetCluster> {
  const { cluster } = flags;
  return cluster.kind === 'fake'
    ? startFakeCluster(cluster, logger)
    : connectRealCluster(cluster.path, address, logger);
}

const NO_BEHAVIOURS: FleetBehaviours = { containers: [], nodeFaults: [] };

async function planOf(flags: Flags, faults: readonly NodeFaultRule[]): Promise<FleetPlan> {
  const { nodes, prefix, shard, zones, nodeIp, nodePort, podsPerNode, cluster } = flags;
  const read = flags.template === undefined ? DEFAULT_TEMPLATE : await readTemplate(flags.template);
  const template = podsPerNode === undefined ? read : { ...read, size: { ...read.size, maxPods: podsPerNode } };
  const address = nodeIp ?? (cluster.kind === 'fake' ? '127.0.0.1' : await addressOfMachine());
  return { nodes, prefix, shard, template, zones, address, firstPort: nodePort, faults };
}

async function addressOfMachine(): Promise<string> {
  const { defaultRouteIps } = await createHostMachine(createHostFiles()).addresses();
  return defaultRouteIps.v4 ?? defaultRouteIps.v6 ?? '127.0.0.1';
}
