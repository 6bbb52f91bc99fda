export { allocateMemory, type MemoryAllocation } from './allocate-memory.ts';
export type { MachineMemory, MemoryBlock, MemoryTable, NumaMemory } from './machine-memory.ts';
export { containerMemoryHints, podMemoryHints } from './memory-hints.ts';
export { MemoryPolicyError } from './memory-policy-error.ts';
export {
  assignedMemory,
  containerMemoryNodes,
  type MemoryState,
  type MemoryStateFile,
  releaseEndedInitContainers,
  removeContainerMemory,
  retainMemory,
  startMemoryState,
} from './memory-state.ts';
export { formatMemoryState, MEMORY_STATE_FILE, parseMemoryState, restoreMemoryState } from './state-file.ts';
export {
  createStaticMemoryPolicy,
  type MemoryReservation,
  type StaticMemoryPolicy,
  type StaticMemoryPolicySettings,
} from './static-policy.ts';
