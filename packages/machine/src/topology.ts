export { type CpuSet, formatCpuSet, isSameCpuSet, parseCpuSet, sortedCpus } from './topology/cpu-set.ts';
export type { CpuCore, MachineTopology, NumaNode } from './topology/machine-topology.ts';
export { combinations, compareNumaNodes, numaMask, numaNodeSets } from './topology/numa-node-sets.ts';
export { readMachineTopology } from './topology/read-topology.ts';
