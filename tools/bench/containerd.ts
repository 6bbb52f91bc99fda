import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock, systemRandom } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import { type ContainerdEvents, followContainerdEvents } from '@rxlet/test-containerd/containerd-events';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { containerdUnavailable, startPrivateContainerd } from '@rxlet/test-containerd/private-containerd';
import type { MeasuredAgentOptions } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { until } from './child-process.ts';
import { type PodKind, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { median, spread } from './statistics.ts';
import { describeProfile } from './cpu-profile.ts';

const EXITS = 30;
const COMMAND = ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1; done"];

/** A private containerd and its events. */
interface Node {
  readonly endpoint: string;
  readonly client: CriClient;
  readonly events: ContainerdEvents;
  readonly folder: string;
}

/** Measures an agent on a real containerd: pods from manifests to Running, and from the exit of a container to the next one, by containerd's clock. */
export async function benchContainerd(run: BenchRun): Promise<void> {
  const unavailable = containerdUnavailable();
  if (unavailable !== undefined) {
    run.print(`containerd: ${unavailable}`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-bench-'));
  try {
    await using containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    const { endpoint } = containerd;
    await using client = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
    await using events = await followContainerdEvents(containerd);
    const node = { endpoint, client, events, folder };
    for (const podCount of [1, 10, 50]) await measureStartup(run, node, podCount);
    await measureStartup(run, node, 50, { hasVolumes: true });
    for (const hints of ['containerd', 'none'] as const) await measureExits(run, node, hints);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureStartup(
  { print, long }: BenchRun,
  node: Node,
  podCount: number,
  kind: PodKind = {},
): Promise<void> {
  const reports: { startedMs: number; runningMs: number; cpuMs: number }[] = [];
  for (let round = 0; round < (long || podCount === 1 ? 3 : 1); round += 1) {
    const pods = { podCount, kind };
    await withPods(node, pods, 'containerd', async (agent) => {
      reports.push(await agent.run('start', podCount));
    });
  }
  const of = (field: keyof (typeof reports)[number]): string =>
    (median(reports.map((report) => report[field])) / 1000).toFixed(2);
  print(
    `containerd, ${String(podCount)} pods${kind.hasVolumes === true ? ' with volumes' : ''}: ${of('startedMs')} s until the last container is started, ${of('runningMs')} s until all are Running; ` +
      `CPU of the agent ${of('cpuMs')} s (median of ${String(reports.length)})`,
  );
}

/** One container after another is killed, each once: its first restart waits for no back-off. */
async function measureExits(
  { print, profile }: BenchRun,
  node: Node,
  hints: MeasuredAgentOptions['hints'],
): Promise<void> {
  const { client, events } = node;
  await withPods(node, { podCount: EXITS, kind: {} }, hints, async (agent) => {
    await agent.run('start', EXITS);
    await sleep(systemClock, 3_000);
    if (profile) await agent.run('startProfile');
    const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
    const { containers } = await client.runtime.listContainers({ filter });
    const toCreate: number[] = [];
    const toStart: number[] = [];
    for (const { id, podSandboxId, labels } of containers) {
      await sleep(systemClock, systemRandom.next() * 1000);
      await client.runtime.stopContainer({ containerId: id, timeout: 0n });
      const { endedNs } = await events.timesOf(id);
      let nextId: string | undefined;
      await until('the container is back', async () => {
        const running = await client.runtime.listContainers({ filter: { ...filter, podSandboxId } });
        nextId = running.containers[0]?.id;
        return nextId !== undefined && events.list().some(isStartOf(nextId));
      });
      const start = events.list().find(isStartOf(nextId!))!;
      toStart.push(Number(start.timeNs - endedNs) / 1e6);
      const podUid = labels['io.kubernetes.pod.uid'];
      const exitMs = Number(endedNs / 1000n) / 1000;
      const create = (await agent.run('creates')).find((call) => call.podUid === podUid && call.atMs > exitMs);
      if (create !== undefined) toCreate.push(create.atMs - exitMs);
    }
    print(
      `containerd, exit → CreateContainer, ${hints === 'none' ? 'relist only' : 'with its events'}: ${spread(toCreate)}; → started: ${spread(toStart)}`,
    );
    if (profile) describeProfile(await agent.run('stopProfile')).forEach(print);
  });
}

function isStartOf(containerId: string): (event: { topic: string; containerId: string }) => boolean {
  return (event) => event.topic === 'start' && event.containerId === containerId;
}

/** Runs `task` with an agent that is not started, and manifests; waits at the end until all pods are gone. */
async function withPods(
  { client, endpoint, folder }: Node,
  { podCount, kind }: { readonly podCount: number; readonly kind: PodKind },
  hints: MeasuredAgentOptions['hints'],
  task: (agent: Awaited<ReturnType<typeof startMeasuredAgent>>) => Promise<void>,
): Promise<void> {
  // Each agent has a node of its own: one that finds the statuses of another begins with them.
  const nodeFolder = await mkdtemp(join(folder, 'node-'));
  const manifests = join(nodeFolder, 'manifests');
  await writeManifests(manifests, podCount, () => ({ command: COMMAND, ...kind }));
  await using agent = await startMeasuredAgent({ endpoint, folder: nodeFolder, hints });
  await task(agent);
  await rm(manifests, { recursive: true });
  await writeManifests(manifests, 0);
  await until('the pods are gone', async () => (await client.runtime.listPodSandbox({})).items.length === 0);
}
