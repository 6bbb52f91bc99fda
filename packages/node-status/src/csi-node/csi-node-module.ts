import { type AgentModule, contribute } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { csiDrivers } from '@rxlet/agent-api/plugins';
import { createCsiNode } from './csi-node.ts';
import { createCsiNodeWriter } from './csi-node-writer.ts';

/**
 * Creates the agent module that maintains the CSINode object of the node: its CSI drivers, with the ids and the topology that the attach-detach controller and the
 * scheduler need. The node is not ready before the object exists.
 */
export function csiNode(): AgentModule {
  return {
    name: 'csi-node',
    needs: [kubeClients],
    uses: [csiDrivers],
    setup({ services, node, clock, random, logger }) {
      const writer = createCsiNodeWriter(services.get(kubeClients).main, node.name);
      const sync = createCsiNode({ writer, drivers: services.find(csiDrivers), clock, random, logger });
      return {
        contributions: [
          contribute(nodeStatusSetters, { name: 'csi-node', contribute: () => ({ notReady: sync.problem }) }),
        ],
        start: () => sync.start(),
        [Symbol.asyncDispose]: () => sync[Symbol.asyncDispose](),
      };
    },
  };
}
