export { type CpuSet, formatCpuSet, isSameCpuSet, parseCpuSet, sortedCpus } from './topology/cpu-set.ts';
export type { CpuCore, MachineTopology, NumaNode } from './topology/machine-topology.ts';
export {
  combinations,
  compareNumaNodes,
  noAffinity,
  type NumaHint,
  numaMask,
  numaNodeSets,
  type ResourceHints,
} from './topology/numa-hint.ts';
export { readMachineTopology } from './topology/read-topology.ts';
