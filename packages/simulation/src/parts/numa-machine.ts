import type { AgentModule } from '@rxlet/agent-api';
import { podAllocation } from '@rxlet/container-manager';
import { createTestTopology } from '@rxlet/machine/testing';
import type { MachineTopology } from '@rxlet/machine/topology';
import { topologyManager } from '@rxlet/topology-manager';
import { MACHINE } from './resize-part.ts';

/** Number of NUMA nodes of the machine, which share its CPUs and its memory equally. */
const NUMA_NODES = 2;
/** Memory of each NUMA node. */
export const NODE_MEMORY_BYTES: number = MACHINE.memoryBytes / NUMA_NODES;
const TOPOLOGY = createTestTopology({
  sockets: NUMA_NODES,
  threadsOfCores: Array.from({ length: MACHINE.cores / NUMA_NODES }, () => 1),
  nodeMemoryBytes: NODE_MEMORY_BYTES,
});

/** Reads the topology of the machine. */
export const readTopology = async (): Promise<MachineTopology> => TOPOLOGY;

/** Policies of the parts below. */
export const CPU_POLICY = 'static';
export const MEMORY_POLICY = 'Static';
/** Reason of a pod whose resources cannot be aligned. */
export const TOPOLOGY_REASON = 'TopologyAffinityError';

/** Parts that assign resources of NUMA nodes to containers. */
const NUMA_PARTS = ['cpus', 'memory'] as const;

/** Returns the modules that the parts of {@link NUMA_PARTS} share. Of those that are enabled, the first one has them. */
export function numaModules(part: (typeof NUMA_PARTS)[number], enabled: readonly string[]): readonly AgentModule[] {
  if (NUMA_PARTS.find((name) => enabled.includes(name)) !== part) return [];
  return [
    podAllocation({
      ...(enabled.includes('cpus') && { cpuManagerPolicy: CPU_POLICY }),
      ...(enabled.includes('memory') && { memoryManagerPolicy: MEMORY_POLICY }),
    }),
    topologyManager({ policy: 'best-effort', readTopology }),
  ];
}
