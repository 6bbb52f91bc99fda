import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@rxlet/cri-api';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import type { ContainerStatus, Event, Pod } from '@rxlet/kube-api';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { type PrivateContainerd, startPrivateContainerd } from '@rxlet/test-containerd/private-containerd';
import type { PrivateMachine } from '@rxlet/test-containerd/private-machine';
import { eventually } from '@rxlet/test-containerd/eventually';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from './agent-process.ts';
import { type ContainerdEvents, followContainerdEvents } from '@rxlet/test-containerd/containerd-events';

/** A machine for tests of the agent: a container runtime with busybox, and folders for one agent at a time. */
export interface TestNode extends AsyncDisposable {
  readonly cri: CriClient;
  /** Address of the runtime. */
  readonly endpoint: string;
  /** Kills the runtime's daemon and starts it again. Containers survive. */
  restart(): Promise<void>;
  /** A folder for whatever else the tests keep. */
  readonly folder: string;
  readonly events: ContainerdEvents;
  /** Restarts of processes of the runtime on which no container depends; each resolves when the runtime can be called again. */
  readonly interruptions: readonly (() => Promise<void>)[];
  /** Restarts of the daemon that holds the containers. Most survive, but it may end some of them and forget events. */
  readonly daemonInterruptions: readonly (() => Promise<void>)[];
  /** Removes containers that the runtime holds for ever by a fault of its own, as an administrator would have to. */
  endForgottenTasks(agent: AgentUnderTest): Promise<void>;
  /** Makes folders for an agent, with further fields of its KubeletConfiguration, and starts it there once they are prepared. */
  agent(kubelet?: object, prepare?: (folders: AgentFolders) => Promise<void>): Promise<AgentUnderTest>;
}

/** A machine with a containerd. */
export interface ContainerdNode extends TestNode {
  readonly containerd: PrivateContainerd;
}

/** An agent on the node, with its manifests and what the runtime holds of them. Disposing of it removes its pods. */
export interface AgentUnderTest extends AsyncDisposable {
  readonly folders: AgentFolders;
  /** The agent, or the last one if it was ended. */
  readonly process: AgentProcess;
  /** Ends the agent; its pods run on. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts another in the same folders. */
  startAgain(): void;
  /** Writes the manifest of a pod, `name` of the namespace `default`. */
  write(name: string, spec: object): Promise<void>;
  remove(name: string): Promise<void>;
  /** The pod as the agent shows it. */
  pod(name: string): Promise<Pod | undefined>;
  /** The status of a container, of whatever kind. */
  status(pod: string, container: string): Promise<ContainerStatus | undefined>;
  /** Events of the pod. */
  eventsOf(pod: string): Promise<readonly Event[]>;
  /** Lists the sandboxes in the runtime, newest first: of a pod, or all. */
  sandboxes(pod?: string): Promise<readonly PodSandbox[]>;
  /** Lists the containers in the runtime, newest first: of a pod and a name, or all. */
  containers(pod?: string, name?: string): Promise<readonly Container[]>;
  running(pod: string, name: string): Promise<Container | undefined>;
  /** As the function of this name, with the agent's output in the error. */
  eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs?: number): Promise<T>;
}

/** Starts one, on this machine or a private one. */
export async function startContainerdNode(machine?: PrivateMachine): Promise<ContainerdNode> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-e2e-'));
  const enter = machine?.enter;
  const containerd = await startPrivateContainerd({ directory: join(folder, 'ctd'), enter });
  await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
  const cri = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint: containerd.endpoint });
  const events = await followContainerdEvents(containerd);
  let agents = 0;
  return {
    containerd,
    cri,
    endpoint: containerd.endpoint,
    restart: () => containerd.restart('SIGKILL'),
    folder,
    events,
    interruptions: [],
    // None, because after a kill containerd 1.6 may forget a container that was being started.
    daemonInterruptions: [],
    endForgottenTasks: (agent) => endForgottenTasks(containerd, agent),
    async agent(kubelet, prepare) {
      const folders = { ...(await makeAgentFolders(join(folder, `agent-${String(++agents)}`), kubelet)), enter };
      await prepare?.(folders);
      return agentUnderTest(folders, cri, () =>
        startAgent(folders, '--container-runtime-endpoint', containerd.endpoint),
      );
    },
    async [Symbol.asyncDispose]() {
      await events[Symbol.asyncDispose]();
      await cri[Symbol.asyncDispose]();
      await containerd[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Removes the tasks of containers that containerd itself says do not run. When the caller of StartContainer dies in the middle, containerd 1.6 now and then
 * takes the start back without its task, and then refuses to remove the container for ever ("cannot delete running task").
 */
async function endForgottenTasks(containerd: PrivateContainerd, agent: AgentUnderTest): Promise<void> {
  if (!agent.process.output().includes('cannot delete running task')) return;
  const tasks = await containerd.ctr(['tasks', 'list', '--quiet']);
  for (const { id, state } of await agent.containers()) {
    if (state === ContainerState.CONTAINER_RUNNING || !tasks.includes(id)) continue;
    await containerd.ctr(['tasks', 'delete', '--force', id]).catch(() => '');
  }
}

/** Starts an agent by `start`, and gives access to its pods. */
export function agentUnderTest(
  folders: AgentFolders,
  cri: Pick<CriClient, 'runtime'>,
  start: () => AgentProcess,
): AgentUnderTest {
  let process = start();
  let isEnded = false;
  const startAgain = (): void => {
    process = start();
    isEnded = false;
  };
  const select = (pod?: string, name?: string): { labelSelector: Record<string, string> } => ({
    labelSelector: {
      ...(pod !== undefined && { 'io.kubernetes.pod.name': `${pod}-node1` }),
      ...(name !== undefined && { 'io.kubernetes.container.name': name }),
    },
  });
  const newestFirst = <T extends { readonly createdAt: bigint }>(items: readonly T[]): readonly T[] =>
    items.toSorted((left, right) => Number(right.createdAt - left.createdAt));
  const sandboxes: AgentUnderTest['sandboxes'] = async (pod) =>
    newestFirst((await cri.runtime.listPodSandbox({ filter: select(pod) })).items);
  const containers: AgentUnderTest['containers'] = async (pod, name) =>
    newestFirst((await cri.runtime.listContainers({ filter: select(pod, name) })).containers);
  const waitFor: AgentUnderTest['eventually'] = (what, probe, timeoutMs) =>
    eventually(what, probe, () => process.output(), timeoutMs);
  const pod = async (name: string): Promise<Pod | undefined> =>
    (await process.pods()).find(({ metadata }) => metadata?.name === `${name}-node1`);

  return {
    folders,
    get process() {
      return process;
    },
    async end(signal) {
      isEnded = true;
      await process.end(signal);
    },
    startAgain,
    write: (name, spec) =>
      writeFile(
        join(folders.manifests, `${name}.yaml`),
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name },
          spec: { terminationGracePeriodSeconds: 2, ...spec },
        }),
      ),
    remove: (name) => rm(join(folders.manifests, `${name}.yaml`)),
    pod,
    async status(podName, container) {
      const status = (await pod(podName))?.status;
      return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
        ({ name }) => name === container,
      );
    },
    eventsOf: async (name) =>
      (await process.events()).filter(({ involvedObject }) => involvedObject?.name === `${name}-node1`),
    sandboxes,
    containers,
    running: async (podName, name) =>
      (await containers(podName, name)).find(({ state }) => state === ContainerState.CONTAINER_RUNNING),
    eventually: waitFor,
    async [Symbol.asyncDispose]() {
      // An agent terminates the pods of removed manifests.
      for (const name of await readdir(folders.manifests)) await rm(join(folders.manifests, name));
      if (isEnded) startAgain();
      {
        await using _ = process;
        await waitFor('nothing runs', async () => !(await hasRunningPods(cri)));
        await waitFor('nothing is mounted', async () => (await mountsBelow(folders.root)).length === 0);
      }
      await removeDeadPods(cri);
    },
  };
}

/** Reports whether the runtime has a ready sandbox. Containers do not outlive theirs. */
export async function hasRunningPods({ runtime }: Pick<CriClient, 'runtime'>): Promise<boolean> {
  const { items } = await runtime.listPodSandbox({});
  return items.some(({ state }) => state === PodSandboxState.SANDBOX_READY);
}

/** Returns the targets of the mounts below a directory. */
export async function mountsBelow(directory: string): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  return table.split('\n').flatMap((line) => {
    const target = line.split(' ')[4];
    return target?.startsWith(`${directory}/`) === true ? [target] : [];
  });
}

/**
 * Removes pods that have ended, without waiting for the garbage collection of an agent, which runs once a minute. Tries
 * again what the runtime refuses: it may still be starting a container whose caller is gone.
 */
export async function removeDeadPods({ runtime }: Pick<CriClient, 'runtime'>): Promise<void> {
  let refusals: unknown[] = [];
  await eventually(
    'the runtime removes every pod',
    async () => {
      const { items } = await runtime.listPodSandbox({});
      const removals = items.map(({ id }) => runtime.removePodSandbox({ podSandboxId: id }));
      refusals = (await Promise.allSettled(removals)).flatMap((removal) =>
        removal.status === 'rejected' ? [removal.reason as unknown] : [],
      );
      return refusals.length === 0;
    },
    () => refusals.map(String).join('\n'),
  );
}

/** A container of busybox that runs `script`. */
export function shell(script: string): { image: string; command: string[] } {
  return { image: BUSYBOX_REFERENCE, command: ['sh', '-c', script] };
}

/** Returns a script that ends `afterSeconds` after SIGTERM. */
export function untilStopped(afterSeconds = 0, exitCode = 0): string {
  return `trap 'sleep ${String(afterSeconds)}; exit ${String(exitCode)}' TERM; echo up; while :; do sleep 0.1; done`;
}
