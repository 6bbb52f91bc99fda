import { apiServer } from '@rxlet/agent';
import type { AgentModule, KubeClients } from '@rxlet/agent-api';
import { clusterEvents, clusterObjects, clusterPods, clusterTokens, clusterVolumes } from '@rxlet/cluster-pods';
import { createFakeKube, type FakeKube, type FakeKubeOptions, nodeUser } from '@rxlet/fake-kube';
import type { Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClients } from '@rxlet/kube-client';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeStatus } from '@rxlet/node-status';
import { manifestPod } from '@rxlet/pod-source/testing';
import { apiStatuses } from '@rxlet/status-manager';
import { type AgentLife } from './agent-life.ts';
import { mortalTransport } from './mortal-port.ts';
import { createTestNode, type TestAgentOptions, type TestNode, type TestNodeOptions } from './test-node.ts';

/** Options of {@link createTestCluster}. */
export interface TestClusterOptions extends TestNodeOptions {
  readonly kube?: FakeKubeOptions;
}

/** Options of an agent in a test cluster. */
export interface ClusterAgentOptions extends Omit<TestAgentOptions, 'modules'> {
  /** Modules besides those of a node of a cluster; one of the same name replaces it. */
  readonly modules?: readonly AgentModule[];
  /** Creates the module that connects the agent with the API server. Default: `apiServer()`. */
  readonly connect?: (options: { readonly clients: KubeClients }) => AgentModule;
}

/** A test node in a cluster with a fake API server, which has the usual rules for nodes. */
export interface TestCluster extends AsyncDisposable {
  readonly node: TestNode;
  readonly kube: FakeKube;
  /** Starts an agent as the node `node1`. */
  start(options?: ClusterAgentOptions): Promise<void>;
  /** Creates a pod that is bound to the node. Its grace period is a second, unless the spec has one. */
  bind(name: string, spec?: Partial<PodSpec>, metadata?: Pod['metadata']): Pod;
  /** Returns a pod of the namespace `default`. */
  pod(name: string): Pod | undefined;
}

/** Creates a {@link TestCluster}. No agent runs before its start. */
export function createTestCluster({ kube: kubeOptions, ...options }: TestClusterOptions = {}): TestCluster {
  const node = createTestNode(options);
  const kube = createFakeKube(node, { authorization: 'node', ...kubeOptions });
  const machine = createTestMachine();

  const modulesOf = (life: AgentLife, connect: NonNullable<ClusterAgentOptions['connect']>): readonly AgentModule[] => {
    const transport = mortalTransport(
      { send: (request) => kube.handle({ ...request, user: nodeUser('node1') }) },
      life,
    );
    const clients = createKubeClients(
      { ...node, transport },
      { userAgent: 'kubelet/v1.36.2 (linux/amd64) kubernetes/test' },
    );
    return [
      connect({ clients }),
      nodeStatus({ machine }),
      clusterPods(),
      clusterObjects(),
      clusterTokens(),
      clusterVolumes(),
      clusterEvents(),
      apiStatuses(),
    ];
  };

  return {
    node,
    kube,
    async start({ modules = [], without = [], connect = apiServer, ...rest } = {}) {
      const replaced = new Set(modules.map(({ name }) => name));
      await node.start({
        ...rest,
        modules: (life) => [...modulesOf(life, connect).filter(({ name }) => !replaced.has(name)), ...modules],
        without: ['status-checkpoint', ...without],
      });
    },
    bind(name, spec = {}, metadata = {}) {
      const { spec: defaults } = manifestPod(name);
      return kube.objects.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name, namespace: 'default' },
        spec: { ...defaults, terminationGracePeriodSeconds: 1, ...spec, nodeName: 'node1' },
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
      }) as unknown as Pod;
    },
    pod: (name) => kube.objects.get(resources.pods, name, 'default') as Pod | undefined,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}
