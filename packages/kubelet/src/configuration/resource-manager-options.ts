import type { CpuManagerModuleOptions } from '@rxlet/cpu-manager';
import type { KubeletConfiguration, LoadedConfiguration } from '@rxlet/kubelet-config';
import type { MemoryManagerModuleOptions } from '@rxlet/memory-manager';
import type { TopologyManagerOptions } from '@rxlet/topology-manager';
import { reservations } from './cgroups-options.ts';

/** Returns the options of the module `topologyManager`. */
export function toTopologyManager(configuration: KubeletConfiguration): TopologyManagerOptions {
  return {
    policy: configuration.topologyManagerPolicy,
    scope: configuration.topologyManagerScope,
    options: configuration.topologyManagerPolicyOptions,
  };
}

/** Returns the options of the module `cpuManager`. @throws KubeletConfigurationError for a malformed list of reserved CPUs */
export function toCpuManager({ configuration, gates }: LoadedConfiguration): CpuManagerModuleOptions {
  return {
    policy: configuration.cpuManagerPolicy,
    policyOptions: configuration.cpuManagerPolicyOptions,
    gates: {
      alphaOptions: gates.isEnabled('CPUManagerPolicyAlphaOptions'),
      betaOptions: gates.isEnabled('CPUManagerPolicyBetaOptions'),
    },
    reservedSystemCpus: configuration.reservedSystemCPUs,
    ...reservations(configuration),
    reconcilePeriodMs: configuration.cpuManagerReconcilePeriod,
    topologyPolicy: configuration.topologyManagerPolicy,
  };
}

/** Returns the options of the module `memoryManager`. @throws KubeletConfigurationError for a malformed list of reserved CPUs */
export function toMemoryManager(configuration: KubeletConfiguration): MemoryManagerModuleOptions {
  const { memoryManagerPolicy, reservedMemory = [], evictionHard } = configuration;
  return {
    policy: memoryManagerPolicy,
    reservedMemory: reservedMemory.map(({ numaNode = 0, limits = {} }) => ({ numaNode, limits })),
    ...reservations(configuration),
    evictionHard,
  };
}
