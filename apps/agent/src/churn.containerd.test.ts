import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerdUnavailable } from '../../../tools/containerd/private-containerd.ts';
import {
  type AgentUnderTest,
  type ContainerdNode,
  shell,
  startContainerdNode,
  untilStopped,
} from './test-support/containerd-node.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

/** Set more for a soak. */
const KILLS = Number(process.env['RXLET_CHURN_KILLS'] ?? 30);
const PODS = 20;
/** Of these, the container ends by itself now and then. */
const CRASHING = 3;
/** Printed when the test fails; set another to try other moments. */
const SEED = Number(process.env['RXLET_CHURN_SEED'] ?? 1);

/** An instance of a container as the runtime had it at some time. */
interface Instance {
  readonly id: string;
  /** UID of the pod and name of the container. */
  readonly owner: string;
  readonly pod: string;
  readonly attempt: number;
  /** What the runtime said of it, looked at whenever an agent had died. */
  readonly seen: readonly Seen[];
}

interface Seen {
  readonly atMs: number;
  readonly state: ContainerState;
  readonly reason: string;
  readonly exitCode: number;
}

/** From start to exit of an instance. */
interface Run extends Pick<Instance, 'pod' | 'attempt' | 'seen'> {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

describe.skipIf(unavailable !== undefined)(`an agent that is killed ${String(KILLS)} times during churn`, () => {
  let node: ContainerdNode;
  beforeAll(async () => {
    node = await startContainerdNode();
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  it(
    `leaves exactly the desired pods, each container once (seed ${String(SEED)})`,
    { timeout: 500_000 + KILLS * 5_000 },
    async () => {
      const random = seededRandom(SEED);
      const pick = (limit: number): number => Math.floor(random.next() * limit);
      await using agent = await node.agent();
      /** Name → version of the pods that are to be there. */
      const desired = new Map<string, number>();
      const instances = new Map<string, Instance>();
      const logs: string[] = [];
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
        await agent.write(name, { containers: [{ name: 'app', ...shell(script), env: versionOf(version) }] });
      };
      const look = async (): Promise<void> => {
        for (const { id, labels, metadata, state } of await agent.containers()) {
          const owner = `${labels['io.kubernetes.pod.uid'] ?? ''}/${labels['io.kubernetes.container.name'] ?? ''}`;
          const pod = labels['io.kubernetes.pod.name']?.replace(/-node1$/, '') ?? '';
          const { seen = [] } = instances.get(id) ?? {};
          const found = await node.cri.runtime.containerStatus({ containerId: id }).catch(() => undefined);
          const { reason = 'gone', exitCode = 0 } = found?.status ?? {};
          const now = { atMs: systemClock.now(), state, reason, exitCode };
          instances.set(id, { id, owner, pod, attempt: metadata?.attempt ?? 0, seen: [...seen, now] });
        }
      };

      for (let index = 0; index < PODS; index += 1) await change();
      for (let kill = 0; kill < KILLS; kill += 1) {
        for (let changes = pick(4); changes > 0; changes -= 1) await change();
        // An agent needs some 300 ms to its first call of the runtime.
        await sleep(systemClock, 250 + pick(900));
        await agent.end('SIGKILL');
        logs.push(agent.process.output());
        await look();
        agent.startAgain();
      }

      await agent.eventually(
        'exactly the desired pods run',
        async () => {
          await look();
          await endForgottenTasks(node, agent);
          const ready = (await agent.sandboxes()).filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
          const names = ready.map(({ metadata }) => metadata?.name.replace(/-node1$/, '') ?? '').sort();
          if (names.join() !== [...desired.keys()].sort().join()) return false;
          const running = await runningVersions(agent);
          return [...desired].every(([name, version]) => isCrashing(name) || running.get(name) === String(version));
        },
        180_000,
      );
      await agent.eventually(
        'nothing else is left',
        async () => {
          await endForgottenTasks(node, agent);
          const sandboxes = await agent.sandboxes();
          const uids = new Set(sandboxes.map(({ metadata }) => metadata?.uid));
          const containers = await agent.containers();
          return (
            sandboxes.length === desired.size &&
            uids.size === desired.size &&
            containers.every(({ labels }) => uids.has(labels['io.kubernetes.pod.uid']))
          );
        },
        180_000,
      );

      // What the agent says of each container is what the runtime has; a crashing one may change between the two looks.
      await agent.eventually('every status is what the runtime says', async () => {
        const told = await statusesByAgent(agent);
        const held = await statusesByRuntime(node, agent);
        return told.length > 0 && JSON.stringify(told) === JSON.stringify(held);
      });

      // By the runtime's own clock: each container ran once at any time, a healthy one ever.
      await look();
      const told = node.events.list();
      const timeOf = (id: string, topic: 'start' | 'exit'): bigint | undefined =>
        told.find((event) => event.topic === topic && event.containerId === id)?.timeNs;
      const runs = new Map<string, Run[]>();
      for (const { id, owner, ...about } of instances.values()) {
        const startNs = timeOf(id, 'start');
        if (startNs === undefined) continue;
        const endNs = timeOf(id, 'exit') ?? 2n ** 62n;
        runs.set(owner, [...(runs.get(owner) ?? []), { ...about, startNs, endNs }]);
      }
      for (const [owner, unordered] of runs) {
        const inOrder = unordered.toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1));
        const logged = logs.flatMap((log) => log.split('\n')).filter((line) => line.includes(owner.split('/')[0]!));
        const shown = [owner, ...inOrder.map(showRun), ...logged.slice(-100)].join('\n');
        const completed = inOrder.filter(({ seen }) => !wasTakenBack(seen));
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

async function statusesByRuntime(node: ContainerdNode, agent: AgentUnderTest): Promise<string[]> {
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
 * Removes the tasks of containers that containerd itself says do not run, as an administrator would have to. When the caller of StartContainer dies in the middle,
 * containerd 1.6 now and then takes the start back without its task, and then refuses to remove the container for ever ("cannot delete running task").
 */
async function endForgottenTasks({ containerd }: ContainerdNode, agent: AgentUnderTest): Promise<void> {
  if (!agent.process.output().includes('cannot delete running task')) return;
  const tasks = await containerd.ctr(['tasks', 'list', '--quiet']);
  for (const { id, state } of await agent.containers()) {
    if (state === ContainerState.CONTAINER_RUNNING || !tasks.includes(id)) continue;
    await containerd.ctr(['tasks', 'delete', '--force', id]).catch(() => '');
  }
}

/**
 * Whether the start was under way when the agent died: containerd ends a task whose start nobody waits for any more. Mostly it says so; but the end of the
 * task may be on record before that. No agent kills these containers with SIGKILL: they end when they are told to.
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
