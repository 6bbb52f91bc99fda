import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerState } from '@rxlet/cri-api';
import type { Node, Pod } from '@rxlet/kube-api';
import { eventually } from '@rxlet/test-containerd/eventually';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from './agent-process.ts';
import {
  type ContainerdNode,
  hasRunningPods,
  mountsBelow,
  removeDeadPods,
  startContainerdNode,
} from './containerd-node.ts';
import { type ControlPlane, startControlPlane } from '@rxlet/test-containerd/control-plane';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';

/** A cluster of one node, `node1`: a control plane, a containerd and an agent. Disposing of it ends them and leaves nothing. */
export interface ClusterNode extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly node: ContainerdNode;
  readonly cgroups: TestCgroups;
  readonly folders: AgentFolders;
  /** The agent, or the last one if it was ended. */
  readonly agent: AgentProcess;
  readonly kubectl: ControlPlane['kubectl'];
  readonly apply: ControlPlane['apply'];
  /** Ends the agent; its pods run on. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts another in the same folders, with further flags. */
  startAgain(...flags: readonly string[]): void;
  /** Reads an object; `undefined` if there is none. */
  get<T>(...args: readonly string[]): Promise<T | undefined>;
  /** Reads the objects of a list. */
  list<T>(...args: readonly string[]): Promise<readonly T[]>;
  /** Reads the node; `undefined` while it is not ready. */
  readyNode(): Promise<Node | undefined>;
  /** Reads a pod of the namespace `default`. */
  pod(name: string): Promise<Pod | undefined>;
  /** Returns the ids of the running containers of the pods that have a label. */
  containers(label: string): Promise<readonly string[]>;
  /** Runs a script in a container of a pod, past the agent. @returns its output */
  inside(pod: string, container: string, script: string): Promise<string>;
  /** As the function of this name, with the agent's output in the error. */
  eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs?: number): Promise<T>;
}

/** Starts one, with further fields of the agent's KubeletConfiguration, which may depend on the control plane, and flags. Resolves without waiting for the node. */
export async function startClusterNode(
  kubelet: Readonly<Record<string, unknown>> | ((controlPlane: ControlPlane) => Promise<object>) = {},
  ...flags: readonly string[]
): Promise<ClusterNode> {
  await using parts = new AsyncDisposableStack();
  const cgroups = parts.use(createTestCgroups());
  const node = parts.use(await startContainerdNode());
  const controlPlane = parts.use(await startControlPlane(join(node.folder, 'control-plane')));
  const { kubectl, apply } = controlPlane;
  const folders = await makeAgentFolders(join(node.folder, 'agent'), {
    ...cgroups.kubelet,
    clusterDNS: ['10.96.0.10'],
    ...(typeof kubelet === 'function' ? await kubelet(controlPlane) : kubelet),
  });
  const kubeconfig = await controlPlane.nodeKubeconfig('node1');
  const start = (...more: readonly string[]): AgentProcess =>
    startAgent(
      folders,
      ...['--container-runtime-endpoint', node.containerd.endpoint, '--kubeconfig', kubeconfig, ...flags, ...more],
    );
  let agent = start();
  let isEnded = false;
  const waitFor: ClusterNode['eventually'] = (what, probe, timeoutMs) =>
    eventually(what, probe, () => agent.output(), timeoutMs);
  const get: ClusterNode['get'] = async <T>(...args: readonly string[]) => {
    const text = await kubectl(['get', '--ignore-not-found', '-o', 'json', ...args]);
    return text === '' ? undefined : (JSON.parse(text) as T);
  };
  const list: ClusterNode['list'] = async <T>(...args: readonly string[]) =>
    (await get<{ items: readonly T[] }>(...args))?.items ?? [];
  const startAgain: ClusterNode['startAgain'] = (...more) => {
    agent = start(...more);
    isEnded = false;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    isEnded = true;
    await agent.end(signal);
  };

  parts.defer(async () => {
    // Also after a failed clean-up: an agent does not end with this process.
    await using _ = { [Symbol.asyncDispose]: () => agent.end('SIGTERM').then(() => undefined) };
    // An agent that runs without its cluster keeps the pods, so they are deleted in the API.
    if (isEnded) startAgain();
    for (const name of await readdir(folders.manifests)) await rm(join(folders.manifests, name));
    for (const kinds of ['cronjobs,jobs,deployments,daemonsets,statefulsets,replicasets', 'pods'])
      await kubectl(['delete', kinds, '--all', '--all-namespaces', '--wait=false']);
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)), 60_000);
    await waitFor('nothing is mounted', async () => (await mountsBelow(folders.root)).length === 0, 60_000);
    await end('SIGTERM');
    await removeDeadPods(node.cri);
  });
  const owned = parts.move();

  return {
    controlPlane,
    node,
    cgroups,
    folders,
    get agent() {
      return agent;
    },
    kubectl,
    apply,
    end,
    startAgain,
    get,
    list,
    async readyNode() {
      const found = await get<Node>('node', 'node1');
      const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'True' ? found : undefined;
    },
    pod: (name) => get<Pod>('pod', name),
    async containers(label) {
      const pods = await list<Pod>('pods', '-l', label);
      const { containers } = await node.cri.runtime.listContainers({
        filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
      });
      const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
      return containers.filter(({ labels }) => uids.has(labels['io.kubernetes.pod.uid'])).map(({ id }) => id);
    },
    async inside(pod, container, script) {
      const filter = {
        labelSelector: { 'io.kubernetes.pod.name': pod, 'io.kubernetes.container.name': container },
        state: { state: ContainerState.CONTAINER_RUNNING },
      };
      const { containers } = await node.cri.runtime.listContainers({ filter });
      const [running] = containers;
      if (running === undefined) throw new Error(`no running container ${container} of ${pod}`);
      const { stdout, stderr, exitCode } = await node.cri.runtime.execSync({
        containerId: running.id,
        cmd: ['sh', '-c', script],
      });
      const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
      return exitCode === 0 ? text(stdout) : `${text(stdout)}${text(stderr)}exit ${String(exitCode)}`;
    },
    eventually: waitFor,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
