import {
  admissionHandlers,
  type AgentModule,
  contribute,
  type Contribution,
  debugSections,
  healthChecks,
  provide,
  syncTriggers,
} from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { nodeDevices } from '@rxlet/agent-api/node';
import { pluginRegistry } from '@rxlet/agent-api/plugins';
import { mayUseResources, topologyAlignment } from '@rxlet/agent-api/topology';
import { ContainerState, type RuntimeService } from '@rxlet/cri-api';
import { connectToPlugin } from '@rxlet/node-plugins';
import { PodLabel, podUid } from '@rxlet/pod-model';
import { createDeviceManager, type DeviceManager } from './device-manager.ts';
import { type ConnectDevicePlugin, createDevicePlugin } from './plugins/device-plugin.ts';
import type { ServeRegistration } from './registration/serve-registration.ts';

/** Options of {@link devicePlugins}. */
export interface DevicePluginsOptions {
  /** Connects to the plugin of a socket. Default: gRPC over the socket. */
  readonly connect?: ConnectDevicePlugin | undefined;
  /** Shows the health of devices in the statuses of containers (feature gate `ResourceHealthStatus`). Default true. */
  readonly resourceHealthStatus?: boolean | undefined;
  /** Serves the registration. Default: gRPC on a unix socket. */
  readonly serve?: ServeRegistration | undefined;
}

/**
 * Creates the agent module that offers the devices of plugins to pods, as extended resources of the node. Plugins register at `<root>/device-plugins/kubelet.sock`, or
 * by the module `nodePlugins()`.
 */
export function devicePlugins(options: DevicePluginsOptions = {}): AgentModule {
  return {
    name: 'device-plugins',
    uses: [pluginRegistry, topologyAlignment],
    provides: [nodeDevices],
    setup({ clock, core, files, logger, metrics, node, runtime, services }) {
      const reportsHealth = options.resourceHealthStatus ?? true;
      const connect = options.connect ?? ((socketPath) => createDevicePlugin(clock, connectToPlugin(socketPath)));
      const manager = createDeviceManager(
        {
          clock,
          files,
          logger,
          metrics,
          connect,
          serve: options.serve,
          mayUseDevices: (uid) => mayUseResources(core, uid),
          runningPods: (signal) => readRunningPods(runtime, signal),
        },
        `${node.rootDirectory}/device-plugins`,
      );
      services.find(pluginRegistry)?.addHandler(manager.handler);
      const alignment = services.find(topologyAlignment);
      alignment?.addProvider(manager.hintProvider);
      return {
        services: [provide(nodeDevices, manager.devices)],
        contributions: [
          contribute(
            supportedPodFields,
            ...containerFields('resources.limits.*', 'resources.requests.*').map((path) => ({
              path,
              accepts: (_amount: unknown, resource: string) => manager.isDeviceResource(resource),
            })),
          ),
          ...(alignment === undefined ? [admission(manager)] : []),
          contribute(containerSteps, {
            name: 'device-plugins',
            additions: (pod, container, signal) => manager.additions(pod, container, signal),
          }),
          contribute(housekeepingSteps, {
            name: 'free the devices of pods that have ended',
            run: () => manager.freeDevices(),
          }),
          contribute(healthChecks, { name: 'device-plugin', check: () => manager.problem() }),
          contribute(debugSections, { name: 'devices', inspect: () => manager.inspect() }),
          ...(reportsHealth ? resourceHealth(manager) : []),
        ],
        start: (signal) => manager.start(signal),
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}

/** Admits pods with devices where no topology manager does. */
function admission(manager: DeviceManager): Contribution {
  return contribute(admissionHandlers, {
    name: 'device-plugins',
    admit: (pod, _others, signal) => manager.admit(pod, signal),
    // Plugins allocate the devices.
    mayTakeLong: (pod) => manager.requestsDevices(pod),
  });
}

/** Reports the health of devices in the statuses of their pods (KEP-4680). */
function resourceHealth(manager: DeviceManager): readonly Contribution[] {
  return [
    contribute(podStatusContributors, {
      name: 'device-plugins',
      conditionTypes: [],
      conditions: () => [],
      allocatedResources: (pod, containerName) => manager.resourceHealth(podUid(pod), containerName),
    }),
    contribute(syncTriggers, manager.healthChanges$),
  ];
}

async function readRunningPods(runtime: RuntimeService, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
  const { containers } = await runtime.listContainers({ filter }, { signal });
  return new Set(containers.flatMap(({ labels }) => labels[PodLabel.podUid] ?? []));
}
