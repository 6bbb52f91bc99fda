import { type ModuleConfiguration, reservedResourcesOfNode } from '@rxlet/agent-api/configuration';
import { countCpus } from '@rxlet/machine';
import { memoryManager, type MemoryManagerModuleOptions } from './memory-manager-module.ts';

/** Configuration of the module `memoryManager`. */
export const memoryManagerConfiguration: ModuleConfiguration<MemoryManagerModuleOptions> = {
  name: 'memory-manager',
  fields: [
    'evictionHard',
    'kubeReserved',
    'memoryManagerPolicy',
    'reservedMemory',
    'reservedSystemCPUs',
    'systemReserved',
  ],
  defaults: {},
  options({ configuration }) {
    const { memoryManagerPolicy, reservedMemory = [], evictionHard } = configuration;
    return {
      policy: memoryManagerPolicy,
      reservedMemory: reservedMemory.map(({ numaNode = 0, limits = {} }) => ({ numaNode, limits })),
      ...reservedResourcesOfNode(configuration, countCpus),
      evictionHard,
    };
  },
  module: memoryManager,
};
