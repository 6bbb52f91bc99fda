import { type AgentModule, contribute } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { nodeDevices, nodeObject, nodeResources, nodeStatusSetters, runtimeHealth } from '@rxlet/agent-api/node';
import { createHostMachine } from '@rxlet/machine';
import { initialNode } from './initial-node.ts';
import { nodeEndpoint } from './node-endpoint.ts';
import { createNodeInputs } from './node-inputs.ts';
import { nodeSettings } from './node-settings.ts';
import type { NodeStatusOptions } from './node-status-module.ts';
import { setNodeStatus } from './set-node-status.ts';

/** Options of {@link nodeView}. */
export type NodeViewOptions = Pick<NodeStatusOptions, 'machine' | 'reservations' | 'settings'>;

/**
 * Creates the agent module that shows the node of an agent without an API server: the endpoint `/node` computes the Node object when it is asked for, and nothing runs
 * in between.
 */
export function nodeView(options: NodeViewOptions = {}): AgentModule {
  return {
    name: 'node-view',
    needs: [runtimeHealth],
    uses: [nodeDevices, nodeObject, nodeResources],
    collects: [nodeStatusSetters],
    setup({ services, collections, node, hostFiles, ...base }) {
      // Another module has the Node object, and shows it.
      if (services.find(nodeObject) !== undefined) return {};
      const settings = nodeSettings(node.name, options.settings);
      const inputs = createNodeInputs(
        {
          ...base,
          machine: options.machine ?? createHostMachine(hostFiles),
          health: services.get(runtimeHealth),
          resources: services.find(nodeResources),
          devices: services.find(nodeDevices),
          setters: () => collections.of(nodeStatusSetters),
        },
        {
          settings,
          rootDirectory: node.rootDirectory,
          reservations: options.reservations,
          listImages: false,
        },
      );
      // Kept for the times at which conditions changed.
      let last = initialNode(settings);
      const endpoint = nodeEndpoint(async (signal) => {
        last = setNodeStatus(last, await inputs.read(last, signal)).node;
        return last;
      });
      return { contributions: [contribute(httpEndpoints, endpoint)] };
    },
  };
}
