import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock, systemRandom } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';
import { createFakeKube, type FakeKube, nodeUser, serveFakeKube } from '@rxlet/fake-kube';
import { resources } from '@rxlet/kube-api/resources';
import type { Pod } from '@rxlet/kube-api';
import type { MeasuredAgentOptions } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { type MeasuredProcess, until } from './child-process.ts';
import { describeProfile } from './cpu-profile.ts';
import { IMAGE } from './manifests.ts';
import { type MeasuredAgent, startMeasuredAgent } from './measured-agent.ts';
import { breakdown, difference, median } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Name of the measured node, as the process of the agent gives it. */
const NODE = 'bench';
/** Pods that a node with all others has room for: those of the changes. */
const SPARE_PODS = 1_200;
/** Pods that change, and the time in which they do: a minute evens out the periodic syncs of the others. */
const CHANGED_PODS = 60;
const CHANGES_MS = 60_000;
/** Time at rest that is compared with that after a cut watch. */
const REST_BEFORE_MS = 15_000;
const BURST_LIVES = 1_000;
const BURST_BATCH = 100;

/** Numbers of pods that are measured. */
const SIZES = [100, 500, 1_000];
const LONG_SIZES = [100, 500, 1_000, 2_500, 5_000];

/** Measures one agent with many pods of an API server: what each costs at the start and at rest, and what a change costs beside the others. */
export async function benchBigNode(run: BenchRun): Promise<void> {
  for (const podCount of run.podCounts ?? (run.long ? LONG_SIZES : SIZES)) await measureNode(run, podCount);
}

/** Measures the memory that a burst of pods leaves to an agent beside 100 others. */
export async function benchBurst(run: BenchRun): Promise<void> {
  await withNode(run, 100, async (node) => {
    await measureStart(node);
    await measureBurst(node);
  });
}

/** A node with its API server. */
interface BigNode {
  readonly run: BenchRun;
  readonly podCount: number;
  readonly kube: FakeKube;
  readonly runtime: CriClient['runtime'];
  readonly runtimeProcess: MeasuredProcess;
  readonly options: MeasuredAgentOptions;
  agent: MeasuredAgent;
}

async function measureNode(run: BenchRun, podCount: number): Promise<void> {
  await withNode(run, podCount, async (node) => {
    await measureStart(node);
    await measureRest(node);
    await measureChanges(node);
    await measureCutWatch(node);
    await measureRestart(node);
  });
}

async function withNode(run: BenchRun, podCount: number, task: (node: BigNode) => Promise<void>): Promise<void> {
  await withFakeRuntime(async (client, endpoint, folder, runtimeProcess) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await using kube = createFakeKube({ clock: systemClock, random: systemRandom });
    await using server = await serveFakeKube(kube);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await server.kubeconfig(nodeUser(NODE)));
    for (let index = 0; index < podCount; index += 1) createPod(kube, `pod-${String(index)}`);
    const options = { endpoint, folder, hints: 'cri', kubeconfig, maxPods: podCount + SPARE_PODS } as const;
    const node: BigNode = {
      run,
      podCount,
      kube,
      runtime: client.runtime,
      runtimeProcess,
      options,
      agent: await startMeasuredAgent(options, formOf(run)),
    };
    try {
      await task(node);
    } finally {
      await node.agent[Symbol.asyncDispose]();
    }
  });
}

const formOf = ({ profile }: BenchRun): 'bundle' | 'source' => (profile ? 'source' : 'bundle');

async function measureStart(node: BigNode): Promise<void> {
  const { podCount, agent, runtimeProcess } = node;
  const runtimeBeforeMs = (await runtimeProcess.usage()).cpuMs;
  const [before, report] = await profiled(node, async () => [
    await agent.run('usage'),
    await agent.run('start', podCount),
  ]);
  await whenReported(node);
  const after = await agent.run('usage');
  const runtimeMs = (await runtimeProcess.usage()).cpuMs - runtimeBeforeMs;
  say(
    node,
    `start: all run after ${seconds(report.runningMs)}; CPU a pod: agent ${perPod(node, after.cpuMs - before.cpuMs)} ms, runtime ${perPod(node, runtimeMs)} ms; ` +
      `RSS ${after.rssMb.toFixed(0)} MB; calls a pod: ${breakdown(scaled(report.calls, podCount), 2)}`,
  );
}

async function measureRest(node: BigNode): Promise<void> {
  const { run, agent } = node;
  // The relist period grows to its longest in two minutes.
  await sleep(systemClock, run.long ? 120_000 : 10_000);
  const restSeconds = run.long ? 60 : 20;
  const before = await agent.run('usage');
  const callsBefore = await agent.run('calls');
  await profiled(node, () => sleep(systemClock, restSeconds * 1000));
  const after = await agent.run('usage');
  const calls = difference(callsBefore, await agent.run('calls'));
  const perSecond = (after.cpuMs - before.cpuMs) / restSeconds;
  say(
    node,
    `rest: ${(perSecond * 60).toFixed(0)} ms CPU a minute, ${((perSecond * 60) / node.podCount).toFixed(3)} ms a pod; ` +
      `RSS ${after.rssMb.toFixed(0)} MB; calls a minute: ${breakdown(scaled(calls, restSeconds / 60), 0)}`,
  );
}

/** Returns the CPU time that the agent takes at rest, in milliseconds a second. */
async function cpuOfRest(agent: MeasuredAgent, durationMs: number): Promise<number> {
  const before = await agent.run('usage');
  await sleep(systemClock, durationMs);
  return ((await agent.run('usage')).cpuMs - before.cpuMs) / (durationMs / 1000);
}

/** Measures four changes of a pod: it is added, updated, restarted after the exit of its container, and deleted. */
async function measureChanges(node: BigNode): Promise<void> {
  const { agent } = node;
  const restBefore = await cpuOfRest(agent, CHANGES_MS);
  const [before, callsBefore] = [await agent.run('usage'), await agent.run('calls')];
  const latencies = new Map<string, number[]>();
  await profiled(node, async () => {
    const endMs = systemClock.monotonicNow() + CHANGES_MS;
    for (let count = 0; count < CHANGED_PODS; count += 1) {
      await changePod(node, `change-${String(count)}`, latencies);
      const leftMs = endMs - systemClock.monotonicNow();
      await sleep(systemClock, Math.max(0, leftMs / (CHANGED_PODS - count)));
    }
  });
  const after = await agent.run('usage');
  const calls = difference(callsBefore, await agent.run('calls'));
  const restMs = ((restBefore + (await cpuOfRest(agent, CHANGES_MS))) / 2) * (CHANGES_MS / 1000);
  const cpuMs = (after.cpuMs - before.cpuMs - restMs) / CHANGED_PODS;
  const times = [...latencies].map(([what, samples]) => `${what} ${median(samples).toFixed(0)} ms`);
  say(
    node,
    `one pod added, updated, restarted and deleted: ${cpuMs.toFixed(1)} ms CPU beside ${(restMs / CHANGED_PODS).toFixed(0)} ms at rest; ` +
      `until the API server shows it: ${times.join(', ')}; calls: ${breakdown(scaled(calls, CHANGED_PODS), 1)}`,
  );
}

async function changePod({ kube, runtime }: BigNode, name: string, latencies: Map<string, number[]>): Promise<void> {
  const timed = async (what: string, change: () => unknown, isShown: () => boolean): Promise<void> => {
    const beganMs = systemClock.monotonicNow();
    await change();
    await until(`${name}: ${what}`, async () => isShown());
    latencies.set(what, [...(latencies.get(what) ?? []), systemClock.monotonicNow() - beganMs]);
  };
  const statusOf = (): Pod['status'] => podOf(kube, name)?.status;
  await timed(
    'added',
    () => createPod(kube, name),
    () => statusOf()?.phase === 'Running',
  );
  const generation = statusOf()?.observedGeneration ?? 0;
  await timed(
    'updated',
    () => kube.objects.merge(resources.pods, name, 'default', { spec: { activeDeadlineSeconds: 86_400 } }),
    () => (statusOf()?.observedGeneration ?? 0) > generation,
  );
  await timed(
    'restarted',
    () => runtime.stopContainer({ containerId: containerIdOf(kube, name), timeout: 0n }),
    () => (statusOf()?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
  );
  await timed(
    'deleted',
    () => kube.objects.delete(resources.pods, name, 'default', 1),
    () => podOf(kube, name) === undefined,
  );
}

/** Breaks the watches of the agent: once they can be resumed, and once all objects must be listed again. */
async function measureCutWatch(node: BigNode): Promise<void> {
  const { agent, kube } = node;
  for (const [what, mustList] of [
    ['resumed', false],
    ['listed again', true],
  ] as const) {
    const watchSeconds = 10;
    const restMsPerSecond = await cpuOfRest(agent, REST_BEFORE_MS);
    const [before, callsBefore, stepsBefore] = [
      await agent.run('usage'),
      await agent.run('calls'),
      await agent.run('steps'),
    ];
    if (mustList) kube.compact();
    const cut = kube.cutWatches();
    await profiled(node, () => sleep(systemClock, watchSeconds * 1000));
    const cpuMs = (await agent.run('usage')).cpuMs - before.cpuMs - restMsPerSecond * watchSeconds;
    const calls = difference(callsBefore, await agent.run('calls'));
    const steps = difference(stepsBefore, await agent.run('steps'));
    say(
      node,
      `${String(cut)} cut watches, ${what}: ${cpuMs.toFixed(0)} ms CPU, steps by cause within ${String(watchSeconds)} s: ${breakdown(steps, 0) || 'none'}; calls: ${breakdown(calls, 0)}`,
    );
  }
}

/** Ends the agent, and starts it again beside its pods. */
async function measureRestart(node: BigNode): Promise<void> {
  const { podCount, run, options, runtime } = node;
  await node.agent[Symbol.asyncDispose]();
  const idsBefore = await runningIds(runtime);
  const beganMs = systemClock.monotonicNow();
  node.agent = await startMeasuredAgent(options, formOf(run));
  const { agent } = node;
  const report = await profiled(node, async () => {
    const started = await agent.run('start', podCount);
    await until('each pod was synced', async () => sumOf(await agent.run('steps')) >= podCount, 300_000, 50);
    return started;
  });
  const adoptedMs = systemClock.monotonicNow() - beganMs;
  const { cpuMs, rssMb } = await agent.run('usage');
  const idsAfter = await runningIds(runtime);
  const kept = idsBefore.filter((id) => idsAfter.includes(id)).length;
  say(
    node,
    `restart: ${String(kept)} of ${String(idsBefore.length)} containers adopted ${seconds(adoptedMs)} after the start of the process, Running in the view after ${seconds(report.runningMs)}; ` +
      `CPU ${seconds(cpuMs)}, ${perPod(node, cpuMs)} ms a pod; RSS ${rssMb.toFixed(0)} MB`,
  );
}

/** Measures the memory that many lives of pods leave to the agent. */
async function measureBurst(node: BigNode): Promise<void> {
  const { agent, kube, run } = node;
  const restSeconds = run.long ? 600 : 90;
  await sleep(systemClock, 90_000);
  const before = await agent.run('usage');
  let peakMb = 0;
  for (let lives = 0; lives < BURST_LIVES; lives += BURST_BATCH) {
    const names = Array.from({ length: BURST_BATCH }, (_, index) => `burst-${String(lives + index)}`);
    for (const name of names) createPod(kube, name);
    await until('the batch runs', async () => names.every((name) => podOf(kube, name)?.status?.phase === 'Running'));
    for (const name of names) kube.objects.delete(resources.pods, name, 'default', 1);
    await until('the batch is gone', async () => names.every((name) => podOf(kube, name) === undefined));
    peakMb = Math.max(peakMb, (await agent.run('usage')).rssMb);
  }
  const burst = await agent.run('usage');
  await sleep(systemClock, restSeconds * 1000);
  const { rssMb } = await agent.run('usage');
  say(
    node,
    `burst of ${String(BURST_LIVES)} lives: ${((burst.cpuMs - before.cpuMs) / BURST_LIVES).toFixed(1)} ms CPU a life; RSS ${before.rssMb.toFixed(0)} MB before, ` +
      `${peakMb.toFixed(0)} meanwhile, ${rssMb.toFixed(0)} ${String(restSeconds)} s later (${(rssMb / before.rssMb).toFixed(2)} times)`,
  );
}

/** Prints a profile of the agent during a task where the run asks for it. */
async function profiled<T>({ run, agent }: BigNode, task: () => Promise<T>): Promise<T> {
  if (!run.profile) return task();
  await agent.run('startProfile');
  const result = await task();
  describeProfile(await agent.run('stopProfile'), 25).forEach(run.print);
  return result;
}

/** Waits until the API server shows each pod as running. */
async function whenReported({ kube }: BigNode): Promise<void> {
  await until(
    'the API server shows each pod as running',
    async () => kube.objects.list(resources.pods).every((pod) => (pod as Pod).status?.phase === 'Running'),
    600_000,
    200,
  );
}

async function runningIds(runtime: CriClient['runtime']): Promise<readonly string[]> {
  const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
  return (await runtime.listContainers({ filter })).containers.map(({ id }) => id);
}

function createPod(kube: FakeKube, name: string): void {
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: IMAGE,
          command: ['sleep', 'infinity'],
          // CPU is counted in thousandths of a core, of which a small machine has too few.
          resources: { requests: { memory: '1Ki' } },
        },
      ],
    },
    status: { phase: 'Pending' },
  });
}

const podOf = (kube: FakeKube, name: string): Pod | undefined =>
  kube.objects.get(resources.pods, name, 'default') as Pod | undefined;

function containerIdOf(kube: FakeKube, name: string): string {
  return podOf(kube, name)?.status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, '') ?? '';
}

function say({ run, podCount }: BigNode, text: string): void {
  run.print(`${String(podCount)} pods, ${text}`);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const perPod = ({ podCount }: BigNode, ms: number): string => (ms / podCount).toFixed(2);

function scaled(counts: Readonly<Record<string, number>>, divisor: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / divisor]));
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
