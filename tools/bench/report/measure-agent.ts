import { appendFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { ContainerState, type ContainerStatus } from '@rxlet/cri-api';
import { mountsBelow } from '@rxlet/test-containerd/clean-up';
import { run } from '@rxlet/test-containerd/processes';
import { type MeasuredProcess, until } from '../child-process.ts';
import { writeManifests } from '../manifests.ts';
import { median } from '../statistics.ts';
import type { AgentProgram } from './agent-program.ts';
import { API_PORT, type BenchNode } from './bench-node.ts';

/** Time in which an agent without pods comes to rest after its start. */
const SETTLE_MS = 5_000;
/** Time in which an agent with pods does. */
const REST_AFTER_MS = 3_000;
const REST_SECONDS = 6;
const EXITS = 8;
const LOG_BYTES = 64 * 1024 * 1024;

/** An agent that runs, and the node that it has. */
export interface RunningAgent {
  readonly program: AgentProgram;
  readonly node: BenchNode;
  process: MeasuredProcess;
}

/** Records a sample of a metric. */
export type Record = (name: string, unit: 's' | 'ms' | 'MB' | 'MB/s' | 'ms/s' | 'calls/s', value: number) => void;

/** Runs `task` with an agent that has come to rest without pods. Afterwards, its pods and the agent are ended. */
export async function withAgent(
  program: AgentProgram,
  node: BenchNode,
  task: (agent: RunningAgent, startCpuMs: number, rssMb: number) => Promise<void>,
): Promise<void> {
  const agent: RunningAgent = { program, node, process: program.start(node.folders) };
  try {
    await sleep(systemClock, SETTLE_MS);
    const { cpuMs, rssMb } = await agent.process.usage();
    await task(agent, cpuMs, rssMb);
  } finally {
    await agent.process[Symbol.asyncDispose]();
    // A kubelet leaves its root directory mounted on itself.
    for (const path of mountsBelow(dirname(node.folders.root))) await run('umount', [path]);
  }
}

/** Puts manifests into the folder of an agent, all at once; measures the starts of their containers and the CPU time until all pods have come to rest. */
export async function measureStarts(agent: RunningAgent, podCount: number, record: Record): Promise<void> {
  const { node } = agent;
  const staged = `${node.folders.manifests}.new`;
  await writeManifests(staged, podCount, () => node.podKind);
  const before = await cpuOf(agent);
  const beganMs = systemClock.now();
  // By rename, so that no agent reads half a manifest.
  for (const name of await readdir(staged)) await rename(join(staged, name), join(node.folders.manifests, name));
  await until(`${String(podCount)} pods run`, async () => (await running(node)).length >= podCount, 300_000, 20);
  await sleep(systemClock, 1_000);
  const after = await cpuOf(agent);
  const startsMs = (await statuses(node)).map(({ startedAt }) => Number(startedAt / 1_000n) / 1000 - beganMs);
  if (podCount > 1) record('first container', 's', Math.min(...startsMs) / 1000);
  record('last container', 's', Math.max(...startsMs) / 1000);
  record('CPU of the agent', 's', (after.agentMs - before.agentMs) / 1000);
  record('CPU of agent and runtime', 's', (after.agentMs + after.runtimeMs - before.agentMs - before.runtimeMs) / 1000);
}

/** Measures an agent with pods at rest. */
export async function measureRest(agent: RunningAgent, record: Record): Promise<void> {
  await sleep(systemClock, REST_AFTER_MS);
  const before = await cpuOf(agent);
  await sleep(systemClock, REST_SECONDS * 1000);
  const after = await cpuOf(agent);
  record('CPU of the agent', 'ms/s', (after.agentMs - before.agentMs) / REST_SECONDS);
  const both = after.agentMs + after.runtimeMs - before.agentMs - before.runtimeMs;
  record('CPU of agent and runtime', 'ms/s', both / REST_SECONDS);
  record('memory (RSS)', 'MB', (await agent.process.usage()).rssMb);
}

/** Kills one container after another, each once, so that no restart waits for a back-off: from the exit to the start of the next instance. */
export async function measureExits({ node }: RunningAgent, record: Record): Promise<void> {
  const samples: number[] = [];
  for (const container of (await running(node)).slice(0, EXITS)) {
    await node.client.runtime.stopContainer({ containerId: container.id, timeout: 0n });
    const { status } = await node.client.runtime.containerStatus({ containerId: container.id });
    const next = await nextInstance(node, container);
    samples.push(Number(next.startedAt - status!.finishedAt) / 1e6);
    await sleep(systemClock, 300 + samples.length * 70);
  }
  record('exit of a container to the start of the next', 'ms', median(samples));
}

/** Kills the agent, ends a container meanwhile, and starts the agent again: it must find all pods before it restarts the container. */
export async function measureAdoption(agent: RunningAgent, podCount: number, record: Record): Promise<void> {
  const { node, program } = agent;
  const before = await running(node);
  const victim = before.at(-1)!;
  await agent.process.kill();
  await node.client.runtime.stopContainer({ containerId: victim.id, timeout: 0n });
  const beganMs = systemClock.now();
  agent.process = program.start(node.folders);
  const next = await nextInstance(node, victim);
  record(
    `start of the agent to the restart of a container that had ended`,
    's',
    Number(next.startedAt / 1_000n) / 1e6 - beganMs / 1000,
  );
  await sleep(systemClock, SETTLE_MS);
  record('CPU of the agent until it is at rest', 's', (await agent.process.usage()).cpuMs / 1000);
  const after = new Set((await running(node)).map(({ id }) => id));
  const restarted = before.filter(({ id }) => id !== victim.id && !after.has(id));
  if (restarted.length > 0 || after.size !== podCount) throw new Error(`${program.name} did not adopt its containers`);
}

/** Removes all manifests: until no container runs. */
export async function measureDeletion({ node }: RunningAgent, record: Record): Promise<void> {
  const { manifests } = node.folders;
  const ids = (await running(node)).map(({ id }) => id);
  const beganMs = systemClock.now();
  // Not the folder itself: an agent may watch that.
  for (const name of await readdir(manifests)) await rm(join(manifests, name));
  await until('no container runs', async () => (await running(node)).length === 0, 120_000, 20);
  record('last exit after the manifests are removed', 's', (systemClock.now() - beganMs) / 1000);
  await until('the containers are removed or dead', async () => {
    const { containers } = await node.client.runtime.listContainers({});
    return containers.every(({ id, state }) => !ids.includes(id) || state === ContainerState.CONTAINER_EXITED);
  });
}

/** Reads a large log by the kubelet's API. */
export async function measureLogs({ node }: RunningAgent, record: Record): Promise<void> {
  const [container] = await statuses(node);
  const podName = container!.labels['io.kubernetes.pod.name']!;
  const line = `2026-01-01T00:00:00.000000000Z stdout F ${'x'.repeat(200)}\n`;
  const text = line.repeat(4_096);
  await mkdir(join(container!.logPath, '..'), { recursive: true });
  for (let written = 0; written < LOG_BYTES; written += text.length) await appendFile(container!.logPath, text);
  const readAll = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const path = `/containerLogs/default/${podName}/main`;
      request({ host: '127.0.0.1', port: API_PORT, path, rejectUnauthorized: false, agent: false }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => (bytes += chunk.length));
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(bytes)
            : reject(new Error(`logs: status ${String(response.statusCode)}`)),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const beganMs = systemClock.monotonicNow();
    const bytes = await readAll();
    if (bytes < LOG_BYTES / 2) throw new Error(`the log has ${String(bytes)} bytes only`);
    rates.push(bytes / 1e6 / ((systemClock.monotonicNow() - beganMs) / 1000));
  }
  record('log of a container by the kubelet API', 'MB/s', median(rates));
}

async function cpuOf({ process: measured, node }: RunningAgent): Promise<{ agentMs: number; runtimeMs: number }> {
  return { agentMs: (await measured.usage()).cpuMs, runtimeMs: await node.runtimeCpuMs() };
}

async function running({ client }: BenchNode) {
  const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
  return (await client.runtime.listContainers({ filter })).containers;
}

async function statuses(node: BenchNode): Promise<readonly ContainerStatus[]> {
  const containers = await running(node);
  const answers = await Promise.all(
    containers.map(({ id }) => node.client.runtime.containerStatus({ containerId: id })),
  );
  return answers.flatMap(({ status }) => status ?? []);
}

/** Waits for the next instance of a container that has ended. */
async function nextInstance(
  node: BenchNode,
  { id, podSandboxId }: { readonly id: string; readonly podSandboxId: string },
): Promise<ContainerStatus> {
  let nextId: string | undefined;
  await until('the container is back', async () => {
    const next = (await running(node)).find((one) => one.podSandboxId === podSandboxId && one.id !== id);
    nextId = next?.id;
    return nextId !== undefined;
  });
  const { status } = await node.client.runtime.containerStatus({ containerId: nextId! });
  return status as ContainerStatus;
}
