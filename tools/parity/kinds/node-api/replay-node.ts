import { type AgentModule, contribute } from '@rxlet/agent-api';
import type { KubeObject } from '@rxlet/kube-api/client';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { journal } from '@rxlet/journal';
import { node as nodeModules } from '@rxlet/kubelet';
import { staticPods } from '@rxlet/pod-source';
import { nodeAdmission } from '@rxlet/node-admission';
import { cgroups } from '@rxlet/container-manager';
import { servingCertificates } from '@rxlet/certificates';
import { createFakeKube, type FakeKube, nodeUser } from '@rxlet/fake-kube';
import { createKubeClients, type KubeTransport, type TransportRequest } from '@rxlet/kube-client';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeStatus, type NodeStatusOptions } from '@rxlet/node-status';
import { createTestNode, type TestNode } from '@rxlet/testing';
import { createMemorySlices } from '@rxlet/container-manager/testing';
import type { NodeOptions } from '@rxlet/agent';
import { asContainerd } from './as-containerd.ts';
import { approveCertificates, type Bootstrap, PKI, type SendAs, startBootstrap, untilSigned } from './bootstrap.ts';
import { createEvictor } from './eviction.ts';
import type { ApiRequest } from './recording.ts';

/** Identity of the node. */
const NODE: NodeOptions = {
  name: 'node1',
  rootDirectory: '/root',
  podLogsDirectory: '/logs',
  memoryCapacityBytes: 24_684_096n * 1024n,
  nodeIps: ['192.0.2.1'],
  clusterDns: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
};
const USER_AGENT = 'kubelet/v1.36.2 (linux/amd64) kubernetes/test';
/** Folder of the static pods. */
export const MANIFESTS = '/manifests';

/** Options of {@link ReplayNode.start}. */
export interface ReplayOptions {
  /** See `asContainerd`. */
  readonly startError?: string | undefined;
  readonly status?: NodeStatusOptions | undefined;
  /** Whether the node has no certificate, and requests its own by bootstrap credentials. */
  readonly bootstraps?: boolean | undefined;
}

/** An agent as the node of a cluster, whose requests are recorded. */
export interface ReplayNode extends AsyncDisposable {
  readonly node: TestNode;
  readonly kube: FakeKube;
  /** Starts the agent with a client of the API server. */
  start(options?: ReplayOptions): Promise<void>;
  /** Approves the requests of a signer, and waits for the certificate. */
  approve(signer: string): Promise<void>;
  /** Sets what is wrong with the network of pods, if anything is. */
  setNetworkProblem(message: string | undefined): void;
  /** Evicts a pod, in place of an eviction manager. */
  evict(name: string, message: string): void;
  /** Creates an object with its status, as a control plane that has bound a pod. */
  apply(object: KubeObject): void;
  /** Returns the requests since the last call. */
  takeRequests(): ApiRequest[];
  /** Returns the time since the last call of {@link takeRequests}, in milliseconds. */
  elapsedMs(): number;
}

const KIB = 1024;
/** Time of a call that changes something in the runtime, and of a request: a kubelet's next step sees its effect, and not the one after it. */
const RUNTIME_LATENCY_MS = 60;
const API_LATENCY_MS = 5;

/** The facts of the recorded machine. */
const FACTS = {
  cores: 2,
  memoryBytes: 24_684_096 * KIB,
  hugePages: [
    { sizeBytes: 2 * KIB ** 2, count: 0 },
    { sizeBytes: KIB ** 3, count: 0 },
  ],
  machineId: '<machine-id>',
  systemUuid: '<system-uuid>',
  bootId: '<boot-id>',
  kernelVersion: '<kernel>',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
};
/** Size of its disk, in most of the recordings. */
const FILE_SYSTEM_BYTES = 12_342_048 * KIB;

/** Images that the recorded node had. */
const IMAGES = [
  'localhost/busybox:1.35',
  'registry.k8s.io/e2e-test-images/agnhost:2.63.0',
  'registry.k8s.io/pause:3.10',
];
/** Error of the recorded registry, of which there was none. */
const NO_REGISTRY =
  'failed to resolve reference "localhost/nosuch:1": failed to do request: Head "http://localhost/v2/nosuch/manifests/1": dial tcp 127.0.0.1:80: connect: connection refused';
/** Reservations of the recorded kubelet: the defaults. */
const evictionHard = { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' };

/** Creates a node without an agent. */
export async function createReplayNode(fileSystemBytes: number = FILE_SYSTEM_BYTES): Promise<ReplayNode> {
  const machine = createTestMachine({ facts: FACTS, fileSystemBytes });
  const node = createTestNode({
    cgroupDriver: 'cgroupfs',
    runtimeName: 'containerd',
    runtimeVersion: '1.6.20',
    latencyMs: RUNTIME_LATENCY_MS,
    images: [{ tags: ['localhost/nosuch:1'], errors: [{ kind: 'other', message: NO_REGISTRY, times: Infinity }] }],
  });
  const kube = createFakeKube(node, {
    authorization: 'node',
    approvesNodeCertificates: false,
    latencyMs: API_LATENCY_MS,
  });
  node.files.putDirectory(MANIFESTS);
  for (const image of IMAGES) {
    let done = false;
    void node.fake.images.pullImage({ image: { image } }).then(() => (done = true));
    await node.until(() => done);
  }
  node.fake.setScript(
    { image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0' },
    { ports: [{ port: 8080, protocol: 'http' }] },
  );
  node.fake.setScript({ container: 'c', pod: 'default/oom' }, { oomKillAfterSeconds: 0.5 });
  node.fake.setScript({ container: 'c', pod: 'default/crash' }, { runSeconds: 1, exitCode: 3 });
  let requests: ApiRequest[] = [];
  let startMs = 0;
  let networkProblem: string | undefined;
  let bootstrap: Bootstrap | undefined;
  const entryOf = ({ method, path: target, body, headers }: TransportRequest, client: string): ApiRequest => {
    const [path = '', query = ''] = target.split('?', 2);
    const t = (node.clock.now() - startMs) / 1000;
    return { t, method, path, query, client, headers, ...(body && { body: JSON.parse(body) as unknown }) };
  };
  const send: SendAs = (request, client, user) => {
    // A request that reaches no API server is not seen there.
    if (kube.isRunning) requests.push(entryOf(request, client));
    return kube.handle({ ...request, user });
  };
  const user = nodeUser('node1');
  const evictor = createEvictor();
  const given: KubeTransport = { send: (request) => send(request, user.name, user) };
  node.desire();

  return {
    node,
    kube,
    async start({ startError, status, bootstraps = false } = {}) {
      if (bootstraps) {
        const withhold = (request: TransportRequest): void => void requests.push(entryOf(request, 'none'));
        bootstrap = await startBootstrap(node, { send, withhold, nodeName: 'node1', userAgent: USER_AGENT });
        await untilSigned(node, () => requests.length > 0);
      }
      const transport = bootstrap?.transport ?? given;
      const clients = createKubeClients({ ...node, transport }, { userAgent: USER_AGENT });
      const modules = nodeModules(clients, [
        nodeStatus({ machine, reservations: { evictionHard }, ...status }),
        staticPods({ path: MANIFESTS }),
        nodeAdmission({ machine }),
        cgroups({
          machine,
          openCgroups: async () => node.cgroups,
          openSlices: async () => createMemorySlices(),
          evictionHard,
        }),
      ]).filter(({ name }) => OWN_MODULES.has(name));
      await node.start({
        modules: [
          ...modules,
          streamServer,
          evictor.module,
          // As with `--plain-conditions`: conditions without the messages that a kubelet does not write.
          journal({ conditionMessages: false }),
          ...(bootstraps ? [servingCertificates({ directory: PKI, isRequested: true })] : []),
        ],
        without: ['status-checkpoint', 'pods-from-file'],
        ports: {
          runtime: asContainerd(node.fake.runtime, { startError, networkProblem: () => networkProblem }),
          node: NODE,
          files: node.files.nodeFiles,
          hostFiles: node.files.hostFiles,
        },
      });
    },
    apply(object) {
      const { t: _, ...rest } = object as KubeObject & { readonly t?: number };
      const text = JSON.stringify(rest).replace(/<time-\d+>/g, new Date(node.clock.now()).toISOString());
      kube.objects.apply(JSON.parse(text) as never);
    },
    evict: evictor.evict,
    approve: (signer) => approveCertificates(node, kube, signer),
    setNetworkProblem: (message) => void (networkProblem = message),
    elapsedMs: () => node.clock.now() - startMs,
    takeRequests() {
      const taken = requests.map((request) => request);
      requests = [];
      startMs = node.clock.now();
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await bootstrap?.[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}

/** Stands for the module that serves streams to the API server. */
const streamServer: AgentModule = {
  name: 'stream-server',
  setup: () => ({
    contributions: [
      contribute(nodeStatusSetters, {
        name: 'stream-server',
        contribute: () => ({ declaredFeatures: ['ExtendWebSocketsToKubelet'] }),
      }),
    ],
  }),
};

/** Modules of a node of a cluster that a test node does not have, or not like this. */
const OWN_MODULES: ReadonlySet<string> = new Set([
  'api-server',
  'node-status',
  'cluster-objects',
  'cluster-tokens',
  'cluster-volumes',
  'cluster-pods',
  'cluster-events',
  'api-statuses',
  'static-pods',
  'node-admission',
  'cgroups',
  'node-plugins',
  'dynamic-resources',
]);
