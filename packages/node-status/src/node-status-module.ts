import { type AgentModule, contribute, debugSections, type ModuleParts, provide } from '@rxlet/agent-api';
import { reconfiguration, reconfigurations } from '@rxlet/agent-api/configuration';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { kubeClients } from '@rxlet/agent-api/kube';
import {
  nodeDevices,
  nodeObject,
  nodeResources,
  type NodeStatusSetter,
  nodeStatusSetters,
  runtimeHealth,
} from '@rxlet/agent-api/node';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createHostMachine, type Machine } from '@rxlet/machine';
import type { Node } from '@rxlet/kube-api';
import type { NodeReservations } from '@rxlet/pod-model/resources';
import { defer, merge } from 'rxjs';
import { type ClusterNode, type ClusterNodeOptions, createClusterNode } from './cluster/cluster-node.ts';
import { createNodeStartup, parseBootMs } from './cluster/node-startup.ts';
import { createNodeInputs } from './node-inputs.ts';
import { nodeEndpoint } from './node-endpoint.ts';
import { nodeSettings } from './node-settings.ts';
import type { NodeSettings } from './node-status-inputs.ts';
import { createStandaloneNode, type StandaloneNode } from './standalone-node.ts';

/** Options of {@link nodeStatus}. */
export interface NodeStatusOptions extends Omit<ClusterNodeOptions, 'settings'> {
  readonly settings?: Partial<Omit<NodeSettings, 'name'>> | undefined;
  /** Reservations, where no other module manages the node's resources. Default: none. */
  readonly reservations?: NodeReservations | undefined;
  /** Default: this machine. */
  readonly machine?: Machine | undefined;
}

const MAX_STAT_BYTES = 1024 * 1024;

/**
 * Creates the agent module of the Node object. With a client of an API server, it registers the node, reports its status and renews its lease. Without one, it
 * computes the Node object for the other modules.
 */
export function nodeStatus(options: NodeStatusOptions = {}): AgentModule {
  return {
    name: 'node-status',
    needs: [runtimeHealth],
    uses: [kubeClients, nodeDevices, nodeResources],
    provides: [nodeObject],
    collects: [nodeStatusSetters],
    setup({ services, collections, node, hostFiles, ...base }): ModuleParts {
      const clients = services.find(kubeClients);
      const health = services.get(runtimeHealth);
      const devices = services.find(nodeDevices);
      let limits: Pick<NodeSettings, 'maxPods' | 'podsPerCore'> | undefined = options.settings;
      const settings: NodeSettings = {
        ...nodeSettings(node.name, options.settings),
        get maxPods() {
          return limits?.maxPods;
        },
        get podsPerCore() {
          return limits?.podsPerCore;
        },
      };
      recordBuildInfo(base.metrics, settings);
      const inputs = createNodeInputs(
        {
          ...base,
          machine: options.machine ?? createHostMachine(hostFiles),
          health,
          resources: services.find(nodeResources),
          devices,
          setters: () => collections.of(nodeStatusSetters),
        },
        {
          settings,
          rootDirectory: node.rootDirectory,
          reservations: options.reservations,
          listImages: clients !== undefined,
        },
      );
      const isHealthy = (): boolean => {
        const setters = collections.of(nodeStatusSetters);
        return health.problems().length === 0 && setters.every((setter) => isReady(setter, part.cached()));
      };
      const changes$ = defer(() =>
        merge(...collections.of(nodeStatusSetters).flatMap((setter) => setter.changes$ ?? [])),
      );
      const startup = clients && createNodeStartup(base.metrics, base.clock);
      const part: StandaloneNode | ClusterNode =
        clients === undefined
          ? createStandaloneNode({ ...base, inputs, changes$ }, { ...options, settings })
          : createClusterNode(
              { ...base, clients, inputs, health, isHealthy, startup, devices, changes$ },
              { ...options, settings },
            );
      return {
        services: [provide(nodeObject, part)],
        async start() {
          const stat = startup && (await hostFiles.read('/proc/stat', MAX_STAT_BYTES).catch(() => undefined));
          const bootMs = stat && parseBootMs(Buffer.from(stat.bytes).toString());
          if (bootMs !== undefined) startup?.booted(bootMs);
          await part.start();
        },
        contributions: [
          contribute(
            httpEndpoints,
            nodeEndpoint(async () => part.cached()),
          ),
          contribute(debugSections, { name: 'node', inspect: () => part.cached() }),
          contribute(
            reconfigurations,
            reconfiguration('node-status', (next: NodeStatusOptions) => void (limits = next.settings)),
          ),
        ],
        [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
      };
    },
  };
}

/** Records the version of Kubernetes that the node behaves like. The labels of a build by Go are empty. */
function recordBuildInfo(metrics: Metrics, { kubeletVersion, operatingSystem, architecture }: NodeSettings): void {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(kubeletVersion) ?? [];
  const ofBuild = { build_date: '', compiler: '', git_commit: '', git_tree_state: '', go_version: '' };
  const platform = `${operatingSystem}/${architecture}`;
  const labels = { ...ofBuild, git_version: kubeletVersion, major, minor, platform };
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
      labelNames: Object.keys(labels),
    })
    .set(1, labels);
}

/** Reports whether a contribution leaves the node ready. One that cannot be computed has no say. */
function isReady(setter: NodeStatusSetter, node: Node): boolean {
  try {
    return setter.contribute(node).notReady === undefined;
  } catch {
    return true;
  }
}
