import { type AgentModule, contribute } from '@rxlet/agent-api';
import { kubeClients, podObjects, podTokens } from '@rxlet/agent-api/kube';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { pluginRegistry } from '@rxlet/agent-api/plugins';
import { volumePlugins } from '@rxlet/agent-api/volumes';
import type { CSIDriver } from '@rxlet/kube-api';
import { createSocketTransport, type Transport } from '@rxlet/node-plugins';
import { createClusterCsiObjects } from './cluster/cluster-csi-objects.ts';
import { createCsiNodeSync } from './cluster/csi-node-sync.ts';
import { createCsiNodeWriter } from './cluster/csi-node-writer.ts';
import { createDriverLimits } from './cluster/driver-limits.ts';
import type { CsiObjects } from './csi-drivers.ts';
import { createDriverRegistry } from './drivers/driver-registry.ts';
import { csiVolumes } from './volumes/csi-volumes.ts';

/** Options of {@link csi}. */
export interface CsiOptions {
  /** CSIDriver objects, for nodes without an API server: inline volumes need the object of their driver. */
  readonly drivers?: readonly CSIDriver[] | undefined;
  /** Objects of CSI volumes. Default: those of the API server, if there is one. */
  readonly objects?: CsiObjects | undefined;
  /** Carries calls to drivers. Default: gRPC over unix sockets. */
  readonly transport?: Transport | undefined;
}

/**
 * Creates the agent module for CSI volumes: it registers the drivers that the module `nodePlugins()` finds, and adds their kinds of volumes to the module
 * `volumes()`. With an API server, it maintains the CSINode object of the node: its drivers, with the ids and the topology that the attach-detach controller
 * and the scheduler need. The node is not ready before that object exists.
 */
export function csi({ drivers = [], objects, transport = createSocketTransport() }: CsiOptions = {}): AgentModule {
  return {
    name: 'csi',
    needs: [pluginRegistry],
    uses: [kubeClients, podObjects, podTokens],
    setup({ services, files, node, clock, random, logger }) {
      const registry = createDriverRegistry({ clock, transport }, drivers);
      services.get(pluginRegistry).addHandler(registry.handler);
      const client = services.find(kubeClients)?.main;
      const clusterObjects = client && createClusterCsiObjects(client);
      const cluster = client &&
        clusterObjects && {
          objects: clusterObjects,
          limits: createDriverLimits({ drivers: registry, objects: clusterObjects, clock, logger }),
          csiNode: createCsiNodeSync({
            writer: createCsiNodeWriter(client, node.name),
            drivers: registry,
            ...{ clock, random, logger },
          }),
        };
      const plugins = csiVolumes({
        files,
        rootDirectory: node.rootDirectory,
        nodeName: node.name,
        drivers: registry,
        objects: objects ?? cluster?.objects,
        podObjects: services.find(podObjects),
        podTokens: services.find(podTokens),
      });
      const ready = cluster && { name: 'csi-node', contribute: () => ({ notReady: cluster.csiNode.problem }) };
      return {
        contributions: [
          contribute(volumePlugins, plugins),
          ...(ready === undefined ? [] : [contribute(nodeStatusSetters, ready)]),
        ],
        start() {
          cluster?.csiNode.start();
          cluster?.objects.start();
          cluster?.limits.start();
        },
        async [Symbol.asyncDispose]() {
          await cluster?.limits[Symbol.asyncDispose]();
          await cluster?.csiNode[Symbol.asyncDispose]();
          await cluster?.objects[Symbol.asyncDispose]();
        },
      };
    },
  };
}
