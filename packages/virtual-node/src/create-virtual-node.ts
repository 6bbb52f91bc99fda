import {
  activeDeadlines,
  type Agent,
  type AgentPorts,
  apiServer,
  containerGarbageCollection,
  createAgent,
  defaultParts,
} from '@rxlet/agent';
import { type AgentModule, provide } from '@rxlet/agent-api';
import { nodeResources } from '@rxlet/agent-api/node';
import { clusterEvents, clusterPods } from '@rxlet/cluster-pods';
import { createLifetime, noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Taint } from '@rxlet/kube-api';
import type { KubeClients } from '@rxlet/kube-api/client';
import { nodeStatus } from '@rxlet/node-status';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import { apiStatuses, statusCheckpoint } from '@rxlet/status-manager';
import { createStreamingServer } from '@rxlet/streaming';
import type { PodProvider } from './pod-provider.ts';
import type { PodRejection } from './provider-pod.ts';
import { createProviderManager } from './provider-manager.ts';
import { providerModule } from './provider-module.ts';
import { createProviderPods } from './provider-pods.ts';
import { createProviderImages, createProviderRuntime } from './provider-runtime.ts';
import { virtualMachine } from './virtual-machine.ts';

/** Options of {@link createVirtualNode}. */
export interface VirtualNodeOptions {
  /** Name of the Node object. */
  readonly name: string;
  /** Resources that the scheduler may use: `cpu`, `memory`, `pods`, `ephemeral-storage`, extended resources. Default: 110 pods, and no limit of the others is enforced. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Clients of the API server, which belong to the caller. Default: none; the pods come from sources of `modules`. */
  readonly clients?: KubeClients;
  /** Further modules: pod sources, `kubeletApi()` for logs and exec, admission. */
  readonly modules?: readonly AgentModule[];
  /** Labels of a new Node object. Default: `type: virtual-kubelet`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints of a new Node object. Default: `virtual-kubelet.io/provider=NAME:NoSchedule` with the name of the provider, so that only pods that tolerate it come. */
  readonly taints?: readonly Taint[];
  /** Addresses under which the API server reaches the node, the primary one first. Default: none. */
  readonly addresses?: readonly string[];
  /** Port of `kubeletApi()`. Default 10250. */
  readonly port?: number;
  /** Directory of the agent's state, of which a node without an API server has some. Default: `/var/lib/rxlet/NAME`. */
  readonly rootDirectory?: string;
}

/** Ports of {@link createVirtualNode}; the defaults are those of the agent. */
export type VirtualNodePorts = Pick<AgentPorts, 'clock' | 'random' | 'logger' | 'metrics' | 'files' | 'hostFiles'>;

/** Relist period. Changes come by the provider's stream, so a relist is a safety net. */
const RELIST_PERIOD_MS = 30_000;

/**
 * Creates the agent of a node without containers: its pods run in a provider, by the pod workers, the status manager and the modules of other agents. Disposing of it
 * leaves the pods running; the next agent adopts them.
 *
 * @example
 * ```ts
 * import { createManualSource, podsFrom } from '@rxlet/pod-config';
 * import { createVirtualNode, type PodProvider } from '@rxlet/virtual-node';
 *
 * declare const provider: PodProvider;
 * const source = createManualSource('mine');
 * await using node = await createVirtualNode(provider, { name: 'cloud', modules: [podsFrom(source)] });
 * await node.start();
 * source.set([]);
 * ```
 *
 * @throws ModuleError when the modules do not fit together
 */
export async function createVirtualNode(
  provider: PodProvider,
  options: VirtualNodeOptions,
  ports: VirtualNodePorts = {},
): Promise<Agent> {
  const { clock = systemClock, random = systemRandom, logger = noopLogger } = ports;
  const { name, capacity = {}, addresses = [], modules = [] } = options;
  const rootDirectory = options.rootDirectory ?? `/var/lib/rxlet/${name}`;
  const pods = createProviderPods(provider, { clock, logger: logger.child({ logger: 'provider-pods' }) });
  const streaming = createStreamingServer({ clock, random });
  const rejections = new Map<string, PodRejection>();
  const node = {
    name,
    nodeIps: addresses,
    rootDirectory,
    podLogsDirectory: `${rootDirectory}/logs`,
    memoryCapacityBytes: BigInt(quantityNumber(capacity['memory'])),
  };
  return createAgent(
    {
      ...ports,
      runtime: createProviderRuntime({ provider, pods, streaming }),
      images: createProviderImages(),
      hints: [],
      node,
    },
    [
      // The first module is disposed of last: the runtime must answer until then.
      ownerOf(streaming),
      ...(options.clients === undefined ? [statusCheckpoint()] : clusterModules(options.clients, provider, options)),
      providerModule({ provider, pods, rejections }),
      activeDeadlines(),
      containerGarbageCollection(),
      ...modules,
    ],
    { relistPeriodMs: RELIST_PERIOD_MS },
    {
      createRuntimeManager: ({ events }) => createProviderManager({ provider, pods, clock, events, rejections }),
      createPleg(plegPorts, plegOptions) {
        const pleg = defaultParts.createPleg(plegPorts, plegOptions);
        const lifetime = createLifetime();
        lifetime.defer(async () => pleg[Symbol.asyncDispose]());
        return {
          ...pleg,
          start() {
            pleg.start();
            const subscription = follow(pods.changes$, {
              task: 'reading a changed pod of the provider',
              logger,
              // Lists do not show every change, such as readiness.
              next: (uid) => pleg.requestReinspect(uid),
            });
            lifetime.defer(() => subscription.unsubscribe());
          },
          [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
        };
      },
    },
  );
}

function clusterModules(
  clients: KubeClients,
  provider: Pick<PodProvider, 'name'>,
  { name, capacity = {}, addresses = [], ...options }: VirtualNodeOptions,
): readonly AgentModule[] {
  const ownTaint: Taint = { key: 'virtual-kubelet.io/provider', value: provider.name, effect: 'NoSchedule' };
  return [
    apiServer({ clients }),
    {
      name: 'virtual-resources',
      provides: [nodeResources],
      setup: () => ({ services: [provide(nodeResources, { capacity: () => capacity, allocatable: () => capacity })] }),
    },
    nodeStatus({
      machine: virtualMachine(capacity, addresses, name),
      settings: {
        nodeIps: addresses,
        labels: options.labels ?? { type: 'virtual-kubelet' },
        taints: options.taints ?? [ownTaint],
        kubeletPort: options.port,
        ...(capacity['pods'] !== undefined && { maxPods: quantityNumber(capacity['pods']) }),
        localStorageIsolation: capacity['ephemeral-storage'] !== undefined,
      },
    }),
    clusterPods(),
    clusterEvents(),
    apiStatuses(),
  ];
}

/** Returns a module that disposes of a resource after the modules that follow. */
function ownerOf(resource: AsyncDisposable): AgentModule {
  return {
    name: 'provider-streams',
    setup: () => ({ [Symbol.asyncDispose]: async () => resource[Symbol.asyncDispose]() }),
  };
}
