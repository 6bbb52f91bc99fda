import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { errorMessage, systemClock } from '@rxlet/component-base';
import { isNotFound } from '@rxlet/cri-api';
import { containerdUnavailable } from '@rxlet/test-containerd/private-containerd';
import { run } from '@rxlet/test-containerd/processes';
import { type AgentProgram, externalAgent, ownAgent } from './agent-program.ts';
import { type BenchNode, withContainerd, withFakeNode } from './bench-node.ts';
import {
  measureAdoption,
  measureDeletion,
  measureExits,
  measureLogs,
  measureRest,
  measureStarts,
  type Record,
  withAgent,
} from './measure-agent.ts';
import { fleetCases } from '../fleet.ts';
import { type FleetFigures, hasControlPlane, measureFleets } from '../fleet/measure-fleet.ts';
import { fleetSection } from './fleet-section.ts';
import { renderReport } from './render-report.ts';
import { createSamples, type Metric, type Samples } from './samples.ts';

/** Options of {@link writeReport}. */
export interface ReportOptions {
  /** File of the report. */
  readonly path: string;
  /** Shell command of another agent; see `externalAgent`. Default: none. */
  readonly external: string | undefined;
  /** Number of rounds. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

/** Number of pods at which everything else than the start is measured: the usual maximum of a node. */
const PODS_OF_A_NODE = 110;
/** Numbers of pods on the fake runtime, and rounds beyond which a size is not repeated. */
const FAKE_SIZES = [
  { podCount: 1, maxRounds: 9 },
  { podCount: 30, maxRounds: 9 },
  { podCount: PODS_OF_A_NODE, maxRounds: 9 },
  { podCount: 500, maxRounds: 2 },
];
const CONTAINERD_SIZES = [
  { podCount: 1, maxRounds: 9 },
  { podCount: 30, maxRounds: 3 },
  { podCount: PODS_OF_A_NODE, maxRounds: 1 },
];

/** Measures the agents in turns, and writes the report. */
export async function writeReport({ path, external, rounds, print }: ReportOptions): Promise<void> {
  const agents = [ownAgent(), ...(external === undefined ? [] : [await externalAgent(external)])];
  const onFake = createSamples();
  const onContainerd = createSamples();
  const loads: number[] = [];
  const turns = async (
    what: string,
    podCount: number,
    count: number,
    measure: (program: AgentProgram) => Promise<void>,
  ): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      // The order changes, so that none is always the first.
      for (const program of round % 2 === 0 ? agents : agents.toReversed()) {
        loads.push(loadavg()[0]!);
        print(`${what}, ${String(podCount)} pods, round ${String(round + 1)}: ${program.name}`);
        await measure(program);
      }
    }
  };
  const omissions: string[] = [];
  const unavailable = containerdUnavailable();
  if (unavailable === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-report-'));
    try {
      await withContainerd(folder, async (createNode) => {
        for (const { podCount, maxRounds } of CONTAINERD_SIZES) {
          await turns('containerd', podCount, Math.min(rounds, maxRounds), async (program) =>
            measureLife(onContainerd, program, await createNode(), podCount, 'containerd'),
          );
        }
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } else {
    omissions.push(`containerd: ${unavailable}`);
  }
  for (const { podCount, maxRounds } of FAKE_SIZES) {
    await turns('fake runtime', podCount, Math.min(rounds, maxRounds), (program) =>
      withFakeNode((node) => measureLife(onFake, program, node, podCount, 'fake runtime')),
    );
  }
  const fleets: FleetFigures[] = [];
  // One thread, as by default: on few cores, more threads share what the API server leaves.
  for (const one of fleetCases(hasControlPlane()).filter(({ workers }) => workers === 1)) {
    print(`fleet, ${String(one.nodes)} nodes`);
    try {
      await measureFleets([one], (figures) => fleets.push(figures));
    } catch (error) {
      omissions.push(`a fleet of ${String(one.nodes)} nodes: ${errorMessage(error)}`);
    }
  }
  if (!hasControlPlane())
    omissions.push('fleets of 500 to 2,000 nodes: RXLET_TEST_CONTROL_PLANE names no control plane');
  omissions.push('500 pods on containerd: a round of them takes minutes on a machine of this size');
  omissions.push('streams of exec, attach and port-forward');
  const samples = [...onFake.list(), ...onContainerd.list()];
  const machine = await describeMachine(rounds, loads);
  const command = `npm run bench -- --report docs/performance.md${external === undefined ? '' : ' --external "COMMAND"'}`;
  const report = renderReport({
    agents,
    machine,
    samples,
    sections: fleetSection(fleets, hasControlPlane()),
    omissions,
    command,
  });
  await writeFile(path, await format(report, { ...(await resolveConfig(path)), filepath: path }));
  print(`wrote ${path}`);
}

/** Measures a life of an agent from its start to the end of its pods. */
async function measureLife(
  samples: Samples,
  program: AgentProgram,
  node: BenchNode,
  podCount: number,
  runtime: 'fake runtime' | 'containerd',
): Promise<void> {
  const recordIn =
    (section: string): Record =>
    (name, unit, value) => {
      const metric: Metric = { section, name, unit, isRate: unit === 'MB/s' };
      samples.add(metric, program.name, value);
    };
  const isNode = podCount === PODS_OF_A_NODE;
  const where = runtime === 'containerd' ? runtime : 'the fake runtime';
  const podsText = `${String(podCount)} ${podCount === 1 ? 'pod' : 'pods'}`;
  await withAgent(program, node, async (agent, startCpuMs, rssMb) => {
    if (podCount === 1 && runtime === 'fake runtime') {
      const record = recordIn('Start of an agent without pods');
      record('CPU', 's', startCpuMs / 1000);
      record('memory (RSS)', 'MB', rssMb);
    }
    await measureStarts(agent, podCount, recordIn(`${podsText} on ${where}: manifests to running`));
    if (podCount === 1 && runtime === 'fake runtime') await measureLogs(agent, recordIn('Throughput'));
    if (podCount > 1) await measureExits(agent, recordIn(`Restarts on ${where}, ${podsText}`));
    if (isNode && runtime === 'fake runtime') {
      await measureRest(agent, recordIn('At rest with 110 pods on the fake runtime'));
      await measureAdoption(
        agent,
        podCount,
        recordIn('Adoption of 110 pods on the fake runtime, after a kill of the agent'),
      );
    }
    await measureDeletion(agent, recordIn(`Deletion on ${where}, ${podsText}`));
  });
  await removePods(node);
}

/** Removes what an agent leaves to its next garbage collection, so that the next one has an empty node. */
async function removePods({ client: { runtime } }: BenchNode): Promise<void> {
  for (const { id } of (await runtime.listPodSandbox({})).items) {
    try {
      await runtime.stopPodSandbox({ podSandboxId: id });
      await runtime.removePodSandbox({ podSandboxId: id });
    } catch (error) {
      // A removal that the agent requested may end after the agent.
      if (!isNotFound(error)) throw error;
    }
  }
}

async function describeMachine(rounds: number, loads: readonly number[]): Promise<readonly string[]> {
  const version = await run('containerd', ['--version']).catch(() => 'not installed');
  const cpu = cpus();
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1));
  return [
    `${new Date(systemClock.now()).toISOString().slice(0, 10)}, ${String(cpu.length)} × ${cpu[0]?.model.trim() ?? 'unknown CPU'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}`,
    `containerd: ${version.trim()}`,
    `${String(rounds)} rounds, fewer of the largest sizes. The load average before each measurement, to which the one before it contributes, was ${least!} to ${most!}`,
  ];
}
