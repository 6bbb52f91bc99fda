import {
  type AgentModule,
  contribute,
  type Contribution,
  debugSections,
  podSteps,
  provide,
  syncTriggers,
} from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { kubeClients } from '@rxlet/agent-api/kube';
import { dynamicResources as dynamicResourcesKey } from '@rxlet/agent-api/node';
import { pluginRegistry } from '@rxlet/agent-api/plugins';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { mayUseResources } from '@rxlet/agent-api/topology';
import { resources } from '@rxlet/kube-api/resources';
import { connectToPlugin } from '@rxlet/node-plugins';
import { createDraManager, type DraManager } from './dra-manager.ts';
import { type ConnectDraPlugin, createDraPlugin } from './plugins/dra-plugin.ts';

/** Options of {@link dynamicResources}. */
export interface DynamicResourcesOptions {
  /** Connects to the plugin of a socket. Default: gRPC over the socket. */
  readonly connect?: ConnectDraPlugin | undefined;
  /** Lets DRA drivers provide extended resources (feature gate `DRAExtendedResource`). Default true. */
  readonly extendedResources?: boolean | undefined;
  /** Shows the health of devices in the statuses of containers (feature gate `ResourceHealthStatus`). Default true. */
  readonly resourceHealthStatus?: boolean | undefined;
  /** Shows the messages of drivers with it (feature gate `ResourceHealthStatusMessage`). Default true. */
  readonly resourceHealthStatusMessage?: boolean | undefined;
}

/**
 * Creates the agent module for pods with ResourceClaims (dynamic resource allocation). It needs an API server, which has the claims, and the module `nodePlugins()`,
 * which finds the plugins of drivers.
 */
export function dynamicResources(options: DynamicResourcesOptions = {}): AgentModule {
  const { extendedResources = true, resourceHealthStatus = true, resourceHealthStatusMessage = true } = options;
  return {
    name: 'dynamic-resources',
    needs: [kubeClients, pluginRegistry],
    provides: [dynamicResourcesKey],
    setup({ clock, core, files, journal, logger, metrics, node, random, services }) {
      const client = services.get(kubeClients).main;
      const manager = createDraManager(
        {
          ...{ clock, random, logger, metrics, journal, files, client },
          connect:
            options.connect ?? ((endpoint, service) => createDraPlugin(clock, connectToPlugin(endpoint), service)),
          readClaim: (namespace, name, signal) => client.get(resources.resourceClaims, { namespace, name }, { signal }),
          mayUseClaims: (podUid) => mayUseResources(core, podUid),
        },
        {
          nodeName: node.name,
          rootDirectory: node.rootDirectory,
          extendedResources,
          healthStatus: resourceHealthStatus,
          healthMessages: resourceHealthStatusMessage,
        },
      );
      services.get(pluginRegistry).addHandler(manager.handler);
      return {
        services: [
          provide(dynamicResourcesKey, { ofContainer: (pod, containerName) => manager.assigned(pod, containerName) }),
        ],
        contributions: [
          contribute(supportedPodFields, 'spec.resourceClaims', ...containerFields('resources.claims')),
          contribute(podSteps, {
            name: 'dynamic-resources',
            prepareSandbox: (pod, signal) => manager.prepare(pod, signal),
            release: ({ uid }, signal) => manager.unprepare(uid, signal),
          }),
          contribute(containerSteps, {
            name: 'dynamic-resources',
            additions: (pod, container) => manager.additions(pod, container),
          }),
          contribute(debugSections, { name: 'dynamicResources', inspect: () => manager.inspect() }),
          ...(resourceHealthStatus ? resourceHealth(manager) : []),
        ],
        start: () => manager.start(),
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}

/** Reports the health of devices in the statuses of their pods (KEP-4680). */
function resourceHealth(manager: DraManager): readonly Contribution[] {
  return [
    contribute(podStatusContributors, {
      name: 'dynamic-resources',
      conditionTypes: [],
      conditions: () => [],
      allocatedResources: (pod, containerName) => manager.resourceHealth(pod, containerName),
    }),
    contribute(syncTriggers, manager.healthChanges$),
  ];
}
