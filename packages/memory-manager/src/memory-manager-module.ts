import { type AgentModule, contribute, debugSections, provide } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { assignedMemory } from '@rxlet/agent-api/node';
import { mayUseResources, topologyAlignment } from '@rxlet/agent-api/topology';
import { createHostMachine, type Machine, machineCapacity } from '@rxlet/machine';
import { formatCpuSet, type MachineTopology, readMachineTopology } from '@rxlet/machine/topology';
import { podUid } from '@rxlet/pod-model';
import { formatQuantity } from '@rxlet/pod-model/quantity';
import { createMemoryManager, type MemoryManagerOptions } from './manager/memory-manager.ts';

/** Options of {@link memoryManager}. */
export interface MemoryManagerModuleOptions extends MemoryManagerOptions {
  /** Default: this machine. */
  readonly machine?: Pick<Machine, 'facts'> | undefined;
  /** Default: reads this machine. */
  readonly readTopology?: (() => Promise<MachineTopology>) | undefined;
}

/**
 * Creates the agent module that assigns memory of NUMA nodes to containers of Guaranteed pods (policy `Static`). It needs the module `topologyManager()`. Its set-up
 * and its start throw a MemoryPolicyError when configuration, machine and state file do not fit each other.
 */
export function memoryManager(options: MemoryManagerModuleOptions = {}): AgentModule {
  return {
    name: 'memory-manager',
    needs: [topologyAlignment],
    provides: [assignedMemory],
    setup({ core, files, hostFiles, logger, metrics, node, services }) {
      const { machine = createHostMachine(hostFiles) } = options;
      const { readTopology = () => readMachineTopology(hostFiles) } = options;
      const manager = createMemoryManager(
        {
          files,
          logger,
          metrics,
          readTopology,
          async readCapacity() {
            const capacity = Object.entries(machineCapacity(await machine.facts()));
            return Object.fromEntries(capacity.map(([name, amount]) => [name, formatQuantity(amount)]));
          },
          mayUseMemory: (uid) => mayUseResources(core, uid),
        },
        options,
        node.rootDirectory,
      );
      services.get(topologyAlignment).addProvider(manager.hintProvider);
      return {
        services: [provide(assignedMemory, manager.assignments)],
        contributions: [
          contribute(containerSteps, {
            name: 'memory-manager',
            preCreate(pod, { name }, { linux }) {
              const nodes = manager.nodesOf(podUid(pod), name);
              if (linux?.resources !== undefined && nodes !== undefined)
                linux.resources.cpusetMems = formatCpuSet(nodes);
            },
            preStart: (pod, container) => manager.starting(pod, container),
          }),
          contribute(housekeepingSteps, {
            name: 'release the memory of pods that have ended',
            run: () => manager.release(),
          }),
          contribute(debugSections, { name: 'memory', inspect: () => manager.inspect() }),
        ],
        start: () => manager.start(),
      };
    },
  };
}
