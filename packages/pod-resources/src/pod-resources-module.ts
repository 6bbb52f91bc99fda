import type { AgentModule } from '@rxlet/agent-api';
import { assignedMemory, dynamicResources, exclusiveCpus, nodeDevices } from '@rxlet/agent-api/node';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import { joinAssignments } from './assigned-resources.ts';
import { createPodResourcesApi } from './pod-resources-api.ts';
import { servePodResources } from './serve-pod-resources.ts';

const DIRECTORY_MODE = 0o750;

/** Creates the agent module that serves the PodResources API on `<root>/pod-resources/kubelet.sock`. */
export function podResources(): AgentModule {
  return {
    name: 'pod-resources',
    uses: [assignedMemory, dynamicResources, exclusiveCpus, nodeDevices],
    setup({ clock, core, files, logger, metrics, node, services }) {
      const lifetime = createLifetime();
      const api = createPodResourcesApi({
        activePods: () => core.activePods(),
        allPods: () => core.pods.list(),
        assigned: joinAssignments({
          cpus: services.find(exclusiveCpus),
          memory: services.find(assignedMemory),
          devices: services.find(nodeDevices),
          claims: services.find(dynamicResources),
        }),
        metrics,
      });
      return {
        async start() {
          const directory = `${node.rootDirectory}/pod-resources`;
          try {
            await files.makeDirectory(directory, DIRECTORY_MODE);
            const server = await servePodResources(api, { socketPath: `${directory}/kubelet.sock`, clock, logger });
            lifetime.defer(async () => server[Symbol.asyncDispose]());
          } catch (error) {
            // Monitoring that fails is no reason to run no pods.
            logger.error('cannot serve the PodResources API', { error: errorMessage(error) });
          }
        },
        [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}
