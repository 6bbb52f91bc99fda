import { join } from 'node:path';
import { sleep, systemClock, systemRandom } from '@rxlet/component-base';
import { ContainerEventType, ContainerState } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';
import { FakeControlDescriptor } from '@rxlet/fake-cri/control';
import { criCall } from '@rxlet/test-containerd/cri-call';
import type { MeasuredAgentOptions } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { until } from './child-process.ts';
import { describeProfile } from './cpu-profile.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { spread } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const PODS = 100;
/** Pods of which every read hangs. */
const HUNG = { 'fail.rxlet.dev/ContainerStatus': 'hang', 'fail.rxlet.dev/PodSandboxStatus': 'hang' };

interface ExitRun {
  readonly hints: MeasuredAgentOptions['hints'];
  /** Number of pods that cannot be read. */
  readonly hungPods: number;
  /** Pause between two exits, on average. */
  readonly pauseMs: number;
}

/** Measures the time from the exit of a container to CreateContainer and StartContainer of the next one, by the runtime's clock. */
export async function benchExits(run: BenchRun): Promise<void> {
  await printExits(run, 'with events', { hints: 'cri', hungPods: 0, pauseMs: 60 });
  await printExits(run, 'relist only', { hints: 'none', hungPods: 0, pauseMs: 150 });
}

/** Measures the same for the other pods while calls about some pods hang. */
export async function benchHungPods(run: BenchRun): Promise<void> {
  await printExits(run, '1 pod hangs, with events', { hints: 'cri', hungPods: 1, pauseMs: 60 });
  await printExits(run, '1 pod hangs, relist only', { hints: 'none', hungPods: 1, pauseMs: 150 });
  if (run.long) await printExits(run, '9 pods hang, with events', { hints: 'cri', hungPods: 9, pauseMs: 60 });
}

async function printExits(run: BenchRun, what: string, exits: ExitRun): Promise<void> {
  const toCreate: number[] = [];
  const toStart: number[] = [];
  for (let round = 0; round < (run.long ? 5 : 1); round += 1) {
    const delays = await measureExits(run, exits);
    toCreate.push(...delays.map(({ toCreateMs }) => toCreateMs));
    toStart.push(...delays.map(({ toStartMs }) => toStartMs));
  }
  run.print(`exit → CreateContainer, ${what}: ${spread(toCreate)}; → StartContainer: ${spread(toStart)}`);
}

interface Delay {
  readonly toCreateMs: number;
  readonly toStartMs: number;
}

/** Each pod's container exits once, one after another: its first restart waits for no back-off. */
async function measureExits({ print, profile }: BenchRun, { hints, hungPods, pauseMs }: ExitRun): Promise<Delay[]> {
  const delays: Delay[] = [];
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), PODS, (index) => (index < hungPods ? { annotations: HUNG } : {}));
    await using agent = await startMeasuredAgent({ endpoint, folder, hints });
    await agent.run('start', PODS - hungPods);
    // By then the work of the start, such as the first relists after it, is done.
    await sleep(systemClock, 2_000);
    await using _events = followRestarts(client, delays);
    const { containers } = await client.runtime.listContainers({
      filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
    });
    const readable = containers.filter(({ labels }) => !isHung(labels, hungPods));
    if (profile) await agent.run('startProfile');
    const before = await agent.run('usage');
    for (const { id } of readable) {
      await sleep(systemClock, systemRandom.next() * 2 * pauseMs);
      const socket = endpoint.replace(/^unix:\/\//, '');
      await criCall(socket, FakeControlDescriptor.method.exitContainer, { containerId: id, exitCode: 1 }, 5_000);
    }
    await until('all containers are back', async () => delays.length >= readable.length, 30_000);
    const { cpuMs } = await agent.run('usage');
    if (profile) {
      print(`  CPU of the agent: ${((cpuMs - before.cpuMs) / readable.length).toFixed(1)} ms a restart`);
      describeProfile(await agent.run('stopProfile')).forEach(print);
    }
  });
  return delays;
}

function isHung(labels: Readonly<Record<string, string>>, hungPods: number): boolean {
  return Number(/^pod-(\d+)-/.exec(labels['io.kubernetes.pod.name'] ?? '')?.[1]) < hungPods;
}

/** Adds to `delays` from the runtime's events until it is disposed of. */
function followRestarts({ runtime }: CriClient, delays: Delay[]): AsyncDisposable {
  const exited = new Map<string, { readonly exitNs: bigint; toCreateMs?: number }>();
  const stopping = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const event of runtime.getContainerEvents({}, { signal: stopping.signal })) {
      const { containerEventType: type, createdAt, podSandboxStatus: sandbox, containerId } = event;
      if (sandbox === undefined || containerId === sandbox.id) continue;
      const exit = exited.get(sandbox.id);
      if (type === ContainerEventType.CONTAINER_STOPPED_EVENT) exited.set(sandbox.id, { exitNs: createdAt });
      if (exit === undefined) continue;
      const sinceExitMs = Number(createdAt - exit.exitNs) / 1e6;
      if (type === ContainerEventType.CONTAINER_CREATED_EVENT) exit.toCreateMs = sinceExitMs;
      if (type !== ContainerEventType.CONTAINER_STARTED_EVENT || exit.toCreateMs === undefined) continue;
      delays.push({ toCreateMs: exit.toCreateMs, toStartMs: sinceExitMs });
      exited.delete(sandbox.id);
    }
  };
  // Ignores errors: the caller, which waits for the delays, reports that they are missing.
  const following = follow().catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await following;
    },
  };
}
