import type { AgentModule } from '@rxlet/agent-api';
import {
  type AssignedDevices,
  assignedResources,
  type AssignedResources,
  type ContainerAssignment,
  nodeDevices,
  type NodeDevices,
} from '@rxlet/agent-api/node';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import { createPodResourcesApi } from './pod-resources-api.ts';
import { servePodResources } from './serve-pod-resources.ts';

const DIRECTORY_MODE = 0o750;

/** Creates the agent module that serves the PodResources API on `<root>/pod-resources/kubelet.sock`. */
export function podResources(): AgentModule {
  return {
    name: 'pod-resources',
    uses: [assignedResources, nodeDevices],
    setup({ clock, core, files, logger, metrics, node, services }) {
      const lifetime = createLifetime();
      const api = createPodResourcesApi({
        activePods: () => core.activePods(),
        allPods: () => core.pods.list(),
        assigned: withDevices(services.find(assignedResources), services.find(nodeDevices)),
        metrics,
      });
      return {
        async start() {
          const directory = `${node.rootDirectory}/pod-resources`;
          await files.makeDirectory(directory, DIRECTORY_MODE);
          try {
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

/** Returns the assigned resources with the devices of plugins. */
function withDevices(
  assigned: AssignedResources | undefined,
  devices: NodeDevices | undefined,
): AssignedResources | undefined {
  if (devices === undefined) return assigned;
  const none: ContainerAssignment = { cpuIds: [], memory: [], devices: [] };
  const add = (assignment = none, added: readonly AssignedDevices[]) => ({
    ...assignment,
    devices: [...assignment.devices, ...added],
  });
  return {
    ofContainer: (podUid, containerName) =>
      add(assigned?.ofContainer(podUid, containerName), devices.ofContainer(podUid, containerName)),
    allocatable: () => add(assigned?.allocatable(), devices.allocatable()),
  };
}
