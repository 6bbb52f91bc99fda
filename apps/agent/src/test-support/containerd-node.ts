import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type Container, ContainerState, type PodSandbox } from '@rxlet/cri-api';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import type { ContainerStatus, Event, Pod } from '@rxlet/kube-api';
import { BUSYBOX_REFERENCE, busyboxImage } from '../../../../tools/containerd/build-image.ts';
import { type PrivateContainerd, startPrivateContainerd } from '../../../../tools/containerd/private-containerd.ts';
import { type AgentFolders, type AgentProcess, eventually, makeAgentFolders, startAgent } from './agent-process.ts';
import { type ContainerdEvents, followContainerdEvents } from './containerd-events.ts';

/** A machine for tests of the agent: a containerd with busybox, and folders for one agent at a time. */
export interface ContainerdNode extends AsyncDisposable {
  readonly containerd: PrivateContainerd;
  readonly cri: CriClient;
  /** A folder for whatever else the tests keep. */
  readonly folder: string;
  readonly events: ContainerdEvents;
  /** Makes folders for an agent, with further fields of its KubeletConfiguration, and starts it there once they are prepared. */
  agent(kubelet?: object, prepare?: (folders: AgentFolders) => Promise<void>): Promise<AgentUnderTest>;
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
  /** What the agent recorded on the pod. */
  eventsOf(pod: string): Promise<readonly Event[]>;
  /** What the runtime has, newest first: of this pod, or of all. */
  sandboxes(pod?: string): Promise<readonly PodSandbox[]>;
  /** What the runtime has, newest first: of this pod and of this name, or all. */
  containers(pod?: string, name?: string): Promise<readonly Container[]>;
  running(pod: string, name: string): Promise<Container | undefined>;
  /** As the function of this name, with the agent's output in the error. */
  eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs?: number): Promise<T>;
}

/** Starts one. */
export async function startContainerdNode(): Promise<ContainerdNode> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-e2e-'));
  const containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
  await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
  const cri = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint: containerd.endpoint });
  const events = await followContainerdEvents(containerd);
  let agents = 0;
  return {
    containerd,
    cri,
    folder,
    events,
    async agent(kubelet, prepare) {
      const folders = await makeAgentFolders(join(folder, `agent-${String(++agents)}`), kubelet);
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

function agentUnderTest(folders: AgentFolders, cri: CriClient, start: () => AgentProcess): AgentUnderTest {
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
      // Whatever a test left goes the way an administrator would let it go.
      for (const name of await readdir(folders.manifests)) await rm(join(folders.manifests, name));
      if (isEnded) startAgain();
      await using _ = process;
      await waitFor(
        'the runtime is empty',
        async () => (await sandboxes()).length === 0 && (await containers()).length === 0,
      );
    },
  };
}

/** A container of busybox that runs `script`. */
export function shell(script: string): { image: string; command: string[] } {
  return { image: BUSYBOX_REFERENCE, command: ['sh', '-c', script] };
}

/** A script that ends `afterSeconds` after it is told to stop. */
export function untilStopped(afterSeconds = 0, exitCode = 0): string {
  return `trap 'sleep ${String(afterSeconds)}; exit ${String(exitCode)}' TERM; echo up; while :; do sleep 0.1; done`;
}
