import { apiServer } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import type { KubeClients } from '@rxlet/kube-api/client';
import { clusterEvents, clusterObjects, clusterPods, clusterTokens, clusterVolumes } from '@rxlet/cluster-pods';
import { ConnectionLostError, createFakeKube, type FakeKube, type FakeKubeOptions, nodeUser } from '@rxlet/fake-kube';
import type { Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClients, type KubeTransport } from '@rxlet/kube-client';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeStatus } from '@rxlet/node-status';
import { manifestPod } from '@rxlet/pod-model/testing';
import { apiStatuses } from '@rxlet/status-manager';
import { type AgentLife } from './agent-life.ts';
import { killableTransport } from './killable-port.ts';
import { createTestNode, type TestAgentOptions, type TestNode, type TestNodeOptions } from './test-node.ts';
import { untilPhase } from './until-phase.ts';

/** Options of {@link createTestCluster}. */
export interface TestClusterOptions extends TestNodeOptions {
  readonly kube?: FakeKubeOptions;
}

/** Options of a further node of a test cluster, which shares the clock. */
export interface FurtherNodeOptions extends Omit<TestNodeOptions, 'clock'> {
  readonly name: string;
}

/** Options of an agent in a test cluster. */
export interface ClusterAgentOptions extends Omit<TestAgentOptions, 'modules'> {
  /** Modules besides those of a node of a cluster; one of the same name replaces it. */
  readonly modules?: readonly AgentModule[] | ((life: AgentLife) => readonly AgentModule[]);
  /** Creates the module that connects the agent with the API server. Default: `apiServer()`. */
  readonly connect?: (options: { readonly clients: KubeClients }) => AgentModule;
}

/** Helpers of a test node that a test cluster has as well. */
type NodeHelpers = Pick<
  TestNode,
  'stop' | 'kill' | 'killAtCall' | 'advance' | 'until' | 'instances' | 'running' | 'startsMs' | 'expectNoLeaks'
>;

/** A test node in a cluster with a fake API server, which has the usual rules for nodes. There may be further nodes. */
export interface TestCluster extends NodeHelpers, AsyncDisposable {
  readonly node: TestNode;
  readonly kube: FakeKube;
  /** Adds a node to the cluster. Disposal of the first node ends the API server. */
  addNode(options: FurtherNodeOptions): TestCluster;
  /** Whether the node is connected with the API server. A node that is not gets no answer, and its watches break. */
  isConnected: boolean;
  /** Starts an agent. */
  start(options?: ClusterAgentOptions): Promise<void>;
  /** Creates a pod that is bound to the node. Its grace period is a second, unless the spec has one. */
  bind(name: string, spec?: Partial<PodSpec>, metadata?: Pod['metadata']): Pod;
  /** Returns a pod of the namespace `default`. */
  pod(name: string): Pod | undefined;
  /** Moves the clock until the API server shows a pod of the namespace `default` with this phase. Rejects after `limitMs` (default an hour) with the pod's last status. */
  untilPhase(podName: string, phase: string, limitMs?: number): Promise<void>;
}

const HOUR_MS = 3_600_000;

/** Creates a {@link TestCluster}. No agent runs before its start. */
export function createTestCluster({ kube: kubeOptions, ...options }: TestClusterOptions = {}): TestCluster {
  const node = createTestNode(options);
  const kube = createFakeKube(node, { authorization: 'node', ...kubeOptions });
  return createClusterNode(node, kube, options, async () => kube[Symbol.asyncDispose]());
}

/** Creates a node of a cluster. */
function createClusterNode(
  node: TestNode,
  kube: FakeKube,
  options: TestNodeOptions,
  onDisposed: () => Promise<void>,
): TestCluster {
  const user = nodeUser(node.name);
  let isConnected = true;
  const send: KubeTransport['send'] = async (request) => {
    if (!isConnected) throw new ConnectionLostError('ECONNREFUSED');
    const response = await kube.handle({ ...request, user });
    if (!isConnected) throw new ConnectionLostError('ECONNRESET');
    return response;
  };
  const machine = options.machine ?? createTestMachine();

  const modulesOf = (life: AgentLife, connect: NonNullable<ClusterAgentOptions['connect']>): readonly AgentModule[] => {
    const transport = killableTransport({ send }, life);
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

  const pod = (name: string): Pod | undefined => kube.objects.get(resources.pods, name, 'default') as Pod | undefined;

  return {
    node,
    kube,
    addNode(further) {
      const withClock = { ...further, clock: node.clock };
      return createClusterNode(createTestNode(withClock), kube, withClock, async () => undefined);
    },
    get isConnected() {
      return isConnected;
    },
    set isConnected(value) {
      isConnected = value;
      if (!value) kube.cutWatches({ user: user.name });
    },
    stop: node.stop,
    kill: node.kill,
    killAtCall: node.killAtCall,
    advance: node.advance,
    until: node.until,
    instances: node.instances,
    running: node.running,
    startsMs: node.startsMs,
    expectNoLeaks: node.expectNoLeaks,
    async start({ modules = [], without = [], connect = apiServer, ...rest } = {}) {
      await node.start({
        ...rest,
        modules(life) {
          const own = typeof modules === 'function' ? modules(life) : modules;
          const replaced = new Set(own.map(({ name }) => name));
          return [...modulesOf(life, connect).filter(({ name }) => !replaced.has(name)), ...own];
        },
        without: ['status-checkpoint', ...without],
      });
    },
    bind(name, spec = {}, metadata = {}) {
      const { spec: defaults } = manifestPod(name);
      return kube.objects.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name, namespace: 'default' },
        spec: { ...defaults, terminationGracePeriodSeconds: 1, ...spec, nodeName: node.name },
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
      }) as unknown as Pod;
    },
    pod,
    untilPhase: (podName, phase, limitMs = HOUR_MS) =>
      untilPhase(node.clock, () => pod(podName), { podName, phase, limitMs }),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await onDisposed();
    },
  };
}
