import { once } from 'node:events';
import { createLifetime, errorMessage, type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger, runParsed, USAGE_ERROR } from '@rxlet/component-base/command';
import { releaseMemoryAtRest } from '@rxlet/component-base/release-memory';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { isKubeError, type TlsKeyPair } from '@rxlet/kube-api/client';
import { createSharedHttpsServer } from '@rxlet/kubelet-server';
import { KubeconfigError } from '@rxlet/kube-client';
import { createHostMachine } from '@rxlet/machine';
import { createHostFiles } from '@rxlet/node-files';
import { startFakeCluster } from './cluster/fake-cluster.ts';
import { createFleetClients } from './cluster/fleet-clients.ts';
import { connectRealCluster } from './cluster/real-cluster.ts';
import type { FleetCluster } from './cluster/fleet-cluster.ts';
import { createFleet } from './fleet/create-fleet.ts';
import { type Flags, parseFlags } from './flags.ts';
import { type FleetBehaviours, readBehaviours } from './plan/behaviours.ts';
import { InputFileError } from './plan/input-file-error.ts';
import { DEFAULT_TEMPLATE, readTemplate } from './plan/node-template.ts';
import type { NodeFaultRule } from './plan/node-faults.ts';
import { type FleetPlan, planNodes } from './plan/plan-nodes.ts';

/** Heap beyond which a release of memory would block the nodes for longer than a second. */
const MAX_RELEASE_BYTES = 2 ** 30;

/** Runs `rxlet-fleet` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen or reach the cluster. */
export function run(args: readonly string[], io: CommandIo): Promise<number> {
  return runParsed('rxlet-fleet', parseFlags(args), io, (flags) => reportErrors(flags, io));
}

/** Runs the command. An expected failure is one line on standard error. */
async function reportErrors(flags: Flags, io: CommandIo): Promise<number> {
  try {
    return await runFleet(flags, io);
  } catch (error) {
    const isUsage = error instanceof InputFileError || error instanceof KubeconfigError;
    const isFailure = isKubeError(error) || (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
    if (!isUsage && !isFailure) throw error;
    io.stderr(`rxlet-fleet: ${errorMessage(error)}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

async function runFleet(flags: Flags, io: CommandIo): Promise<number> {
  const logger = createConsoleLogger(io.stderr, flags.verbosity);
  const { containers: behaviours, nodeFaults } =
    flags.script === undefined ? NO_BEHAVIOURS : await readBehaviours(flags.script);
  const plan = await planOf(flags, nodeFaults);
  await using lifetime = createLifetime(io.signal);
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(() => part[Symbol.asyncDispose]());
    return part;
  };
  const cluster = own(await connect(flags, plan, logger));
  if (cluster.note !== undefined) io.stdout(`${cluster.note}\n`);
  const ports = { clock: systemClock, random: systemRandom, logger };
  const { eventsPerSecond, nodeCredentials: actsAsNodes } = flags;
  const clients = own(createFleetClients({ ...ports, transport: cluster.transport }, { eventsPerSecond, actsAsNodes }));
  const startedMs = systemClock.monotonicNow();
  const { certificate, clientCaPem } = cluster.identity;
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
    if (!flags.keepsNodes && cluster.outlivesFleet) await fleet.removeNodes();
  });
  const isStarted = await startUnlessStopped(() => fleet.start(), io.signal);
  if (!isStarted) return 0;
  using _releases = releaseMemoryAtRest({ clock: systemClock }, { quietCpu: 0.6, maxHeapBytes: MAX_RELEASE_BYTES });
  const seconds = ((systemClock.monotonicNow() - startedMs) / 1000).toFixed(1);
  io.stdout(`${String(fleet.nodes.length)} nodes are ready after ${seconds} s\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  return 0;
}

/** @returns false when the signal ended the start */
async function startUnlessStopped(start: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  const starting = start();
  starting.catch(() => undefined);
  await Promise.race([starting, stopped]);
  return !signal.aborted;
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
