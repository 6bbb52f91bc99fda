import { readdir } from 'node:fs/promises';
import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { ContainerState, type PodSandbox, PodSandboxState } from '@rxlet/cri-api';
import type { TaskEvent } from '@rxlet/test-containerd/containerd-events';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AgentUnderTest,
  mountsBelow,
  shell,
  type TestNode,
  untilStopped,
} from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';

/** Set more for a soak. */
const KILLS = Number(process.env['RXLET_CHURN_KILLS'] ?? 24);
const PODS = 20;
/** Of these, the container ends by itself now and then. */
const CRASHING = 3;
/** Set for a soak in which the daemon that holds the containers is killed too: on a busy machine it ends some of them. */
const KILLS_DAEMON = process.env['RXLET_CHURN_DAEMON'] !== undefined;
/** Printed when the test fails; set another to try other moments. */
const SEED = Number(process.env['RXLET_CHURN_SEED'] ?? 1);

/** Volumes of every pod: on disk, in memory, of the API, and a sub path. */
const volumes = [
  { name: 'disk', emptyDir: {} },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
  { name: 'about', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
];
const volumeMounts = [
  ...volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
  { name: 'disk', mountPath: '/below', subPath: 'a/b' },
];

/** An instance of a container as the runtime had it at some time. */
interface Instance {
  readonly id: string;
  /** UID of the pod and name of the container. */
  readonly owner: string;
  readonly pod: string;
  readonly sandboxId: string;
  readonly attempt: number;
  /** State in the runtime, read after each death of an agent. */
  readonly seen: readonly Seen[];
}

interface Seen {
  readonly atMs: number;
  readonly state: ContainerState;
  readonly reason: string;
  readonly exitCode: number;
  /** 0n before the end. */
  readonly endedNs: bigint;
}

/** From start to exit of an instance. */
interface Run extends Pick<Instance, 'pod' | 'sandboxId' | 'attempt' | 'seen'> {
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** `undefined` while it runs. */
  readonly exitCode: number | undefined;
}

describeOnEachRuntime(`${String(KILLS)} kills during churn`, {}, (startNode) => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  it(
    `leave exactly the desired pods, each container once (seed ${String(SEED)})`,
    { timeout: 500_000 + KILLS * 5_000 },
    async () => {
      const random = seededRandom(SEED);
      const pick = (limit: number): number => Math.floor(random.next() * limit);
      using cgroups = createTestCgroups();
      await using agent = await node.agent(cgroups.kubelet);
      /** Versions of the desired pods, by name. */
      const desired = new Map<string, number>();
      const instances = new Map<string, Instance>();
      const logs: string[] = [];
      const interruptions = [...node.interruptions, ...(KILLS_DAEMON ? node.daemonInterruptions : [])];
      let version = 0;

      const change = async (): Promise<void> => {
        const name = `p${String(pick(PODS))}`;
        if (desired.has(name) && random.next() < 0.4) {
          desired.delete(name);
          await agent.remove(name);
          return;
        }
        // Never one that has been before: the same manifest again is the same pod, which then starts anew.
        version += 1;
        desired.set(name, version);
        const crashes = Number(name.slice(1)) < CRASHING;
        const script = crashes ? 'sleep 2; exit 1' : untilStopped();
        const container = { name: 'app', ...shell(script), env: versionOf(version), volumeMounts };
        await agent.write(name, { containers: [container], volumes });
      };
      const look = async (): Promise<void> => {
        for (const { id, podSandboxId: sandboxId, labels, metadata, state } of await agent.containers()) {
          const owner = `${labels['io.kubernetes.pod.uid'] ?? ''}/${labels['io.kubernetes.container.name'] ?? ''}`;
          const pod = labels['io.kubernetes.pod.name']?.replace(/-node1$/, '') ?? '';
          const { seen = [] } = instances.get(id) ?? {};
          const found = await node.cri.runtime.containerStatus({ containerId: id }).catch(() => undefined);
          const { reason = 'gone', exitCode = 0, finishedAt: endedNs = 0n } = found?.status ?? {};
          const now = { atMs: systemClock.now(), state, reason, exitCode, endedNs };
          instances.set(id, { id, owner, pod, sandboxId, attempt: metadata?.attempt ?? 0, seen: [...seen, now] });
        }
      };

      for (let index = 0; index < PODS; index += 1) await change();
      for (let kill = 0; kill < KILLS; kill += 1) {
        for (let changes = pick(4); changes > 0; changes -= 1) await change();
        // An agent needs some 300 ms to its first call of the runtime.
        await sleep(systemClock, 250 + pick(900));
        // In turn: the agent alone, or a part of the runtime first.
        await interruptions[kill % (interruptions.length + 1)]?.();
        await agent.end('SIGKILL');
        logs.push(agent.process.output());
        await look();
        agent.startAgain();
      }

      await agent.eventually(
        'exactly the desired pods run',
        async () => {
          await look();
          await node.endForgottenTasks(agent);
          const ready = (await agent.sandboxes()).filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
          const names = ready.map(({ metadata }) => metadata?.name.replace(/-node1$/, '') ?? '').sort();
          if (names.join() !== [...desired.keys()].sort().join()) return false;
          const running = await runningVersions(agent);
          return [...desired].every(([name, version]) => isCrashing(name) || running.get(name) === String(version));
        },
        180_000,
      );
      let left: readonly string[] = [];
      await eventually(
        'nothing else is left',
        async () => {
          await node.endForgottenTasks(agent);
          left = await findLeft(agent, cgroups, desired);
          return left.length === 0;
        },
        () => [...left, agent.process.output()].join('\n'),
        180_000,
      );

      // The agent's status of each container equals the runtime's; a crashing one may change between the two reads.
      await agent.eventually('every status equals the state in the runtime', async () => {
        const reported = await statusesByAgent(agent);
        const held = await statusesByRuntime(node, agent);
        return reported.length > 0 && JSON.stringify(reported) === JSON.stringify(held);
      });

      // By the runtime's own clock: each container ran once at any time, a healthy one ever.
      await look();
      const reported = node.events.list();
      const eventOf = (id: string, topic: 'start' | 'exit'): TaskEvent | undefined =>
        reported.find((event) => event.topic === topic && event.containerId === id);
      const runs = new Map<string, Run[]>();
      for (const { id, owner, ...about } of instances.values()) {
        const startNs = eventOf(id, 'start')?.timeNs;
        if (startNs === undefined) continue;
        // A daemon that is killed forgets events, but not how its containers ended.
        const recorded = about.seen.find(({ endedNs }) => endedNs > 0n);
        const { timeNs: endNs, exitCode } = eventOf(id, 'exit') ?? {
          timeNs: recorded?.endedNs ?? 2n ** 62n,
          exitCode: recorded?.exitCode,
        };
        runs.set(owner, [...(runs.get(owner) ?? []), { ...about, startNs, endNs, exitCode }]);
      }
      for (const [owner, unordered] of runs) {
        const inOrder = unordered.toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1));
        const logged = logs.flatMap((log) => log.split('\n')).filter((line) => line.includes(owner.split('/')[0]!));
        const shown = [owner, ...inOrder.map(showRun), ...logged.slice(-100)].join('\n');
        // A daemon that is restarted on a busy machine kills containers whose processes do not answer it in time; with a sandbox, its containers go.
        const isKilledByDaemon = ({ sandboxId, exitCode }: Run): boolean =>
          KILLS_DAEMON && [exitCode, eventOf(sandboxId, 'exit')?.exitCode].includes(137);
        const completed = inOrder.filter((one) => !wasTakenBack(one.seen) && !isKilledByDaemon(one));
        if (!isCrashing(inOrder[0]!.pod)) expect(completed.length, shown).toBeLessThanOrEqual(1);
        inOrder.slice(1).forEach(({ startNs, attempt }, index) => {
          const before = inOrder[index]!;
          expect(startNs, shown).toBeGreaterThan(before.endNs);
          // Each restart counts, and so does an attempt that was given up before it ran.
          expect(attempt, shown).toBeGreaterThan(before.attempt);
        });
      }
    },
  );
});

/** Describes what there is besides the desired pods. */
async function findLeft(
  agent: AgentUnderTest,
  cgroups: TestCgroups,
  desired: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const sandboxes = await agent.sandboxes();
  const uids = new Set(sandboxes.map(({ metadata }) => metadata?.uid));
  const isForeign = (uid: string | undefined): boolean => !uids.has(uid);
  const nameOf = ({ metadata }: PodSandbox): string => metadata?.name.replace(/-node1$/, '') ?? '';
  const ready = sandboxes.filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
  const current = new Map(ready.map((sandbox) => [nameOf(sandbox), sandbox.metadata?.uid]));
  // An earlier sandbox of a pod stays with the container that shows its last state.
  const isOther = (sandbox: PodSandbox): boolean =>
    !desired.has(nameOf(sandbox)) || sandbox.metadata?.uid !== current.get(nameOf(sandbox));
  const containers = await agent.containers();
  return [
    ...sandboxes.filter(isOther).map((sandbox) => `sandbox ${nameOf(sandbox)} ${sandbox.id}`),
    ...(ready.length === desired.size ? [] : [`${String(ready.length)} ready sandboxes`]),
    ...containers.flatMap(({ id, labels }) => (isForeign(labels['io.kubernetes.pod.uid']) ? [`container ${id}`] : [])),
    ...cgroups.ofPods().filter((path) => isForeign(/\/pod([^/]+)/.exec(path)?.[1])),
    ...(await mountedPods(agent)).filter(isForeign).map((uid) => `mounts of ${uid}`),
    ...(await readdir(podsOf(agent))).filter(isForeign).map((uid) => `directory of ${uid}`),
  ];
}

function podsOf({ folders }: AgentUnderTest): string {
  return `${folders.root}/pods`;
}

/** UIDs of the pods with mounts in their directory. */
async function mountedPods(agent: AgentUnderTest): Promise<string[]> {
  const pods = podsOf(agent);
  return (await mountsBelow(pods)).map((target) => target.slice(pods.length + 1).split('/')[0]!);
}

/** Pod, container id, restarts, state and times of the newest instance of each container, sorted. */
async function statusesByAgent(agent: AgentUnderTest): Promise<string[]> {
  const pods = await agent.process.pods();
  return pods
    .flatMap(({ metadata, status }) =>
      (status?.containerStatuses ?? []).map(({ containerID = '', restartCount, state, lastState }) => {
        const { running, terminated } = state?.waiting === undefined ? (state ?? {}) : (lastState ?? {});
        const times = running === undefined ? [terminated?.startedAt, terminated?.finishedAt] : [running.startedAt, ''];
        const id = containerID.replace(/^.*:\/\//, '') || (terminated?.containerID ?? '').replace(/^.*:\/\//, '');
        return [metadata?.name, id, restartCount, running !== undefined, terminated?.exitCode ?? '', ...times].join(
          ' ',
        );
      }),
    )
    .sort();
}

async function statusesByRuntime(node: TestNode, agent: AgentUnderTest): Promise<string[]> {
  const newest = new Map<string, string>();
  for (const { id, labels } of await agent.containers()) {
    const pod = labels['io.kubernetes.pod.name'] ?? '';
    if (!newest.has(pod)) newest.set(pod, id);
  }
  const time = (ns: bigint): string => `${new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)}Z`;
  const lines = [...newest].map(async ([pod, containerId]) => {
    const { status } = await node.cri.runtime.containerStatus({ containerId });
    const { state, exitCode, startedAt, finishedAt, metadata } = status!;
    const running = state === ContainerState.CONTAINER_RUNNING;
    const times = running ? [time(startedAt), ''] : [time(startedAt), time(finishedAt)];
    return [pod, containerId, metadata?.attempt ?? 0, running, running ? '' : exitCode, ...times].join(' ');
  });
  return (await Promise.all(lines)).sort();
}

function isCrashing(name: string): boolean {
  return Number(name.slice(1)) < CRASHING;
}

/**
 * Reports whether the start was in flight when the agent died: containerd ends a task whose start was cancelled. Mostly it records the reason, but the end of
 * the task may be recorded first. No agent kills these containers with SIGKILL, because they end when they are asked to.
 */
function wasTakenBack(seen: readonly Seen[]): boolean {
  const was = (state: ContainerState): boolean => seen.some((look) => look.state === state);
  const killedInStart =
    was(ContainerState.CONTAINER_CREATED) &&
    !was(ContainerState.CONTAINER_RUNNING) &&
    seen.some(({ exitCode }) => exitCode === 137);
  return killedInStart || seen.some(({ reason }) => reason === 'StartError');
}

function showRun({ attempt, startNs, endNs, seen }: Run): string {
  const ms = (ns: bigint): string => String((ns / 1_000_000n) % 10_000_000n);
  return `attempt ${String(attempt)} from ${ms(startNs)} to ${ms(endNs)} ms (${seen.map(showSeen).join(', ')})`;
}

function showSeen({ atMs, state, reason, exitCode }: Seen): string {
  return `${String(atMs % 10_000_000)}: ${ContainerState[state]} ${reason} ${String(exitCode)}`;
}

function versionOf(version: number): object[] {
  return [{ name: 'VERSION', value: String(version) }];
}

/** Pod → the version of the one container of it that runs, by its environment. */
async function runningVersions(agent: AgentUnderTest): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (const { metadata, spec, status } of await agent.process.pods()) {
    if (metadata?.deletionTimestamp !== undefined || status?.phase !== 'Running') continue;
    versions.set(metadata?.name?.replace(/-node1$/, '') ?? '', spec?.containers[0]?.env?.[0]?.value ?? '');
  }
  return versions;
}
