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
export {
  checkUnusedMemoryState,
  formatMemoryState,
  MEMORY_STATE_FILE,
  parseMemoryState,
  restoreMemoryState,
} from './state-file.ts';
export {
  createStaticMemoryPolicy,
  type MemoryReservation,
  type StaticMemoryPolicy,
  type StaticMemoryPolicySettings,
} from './static-policy.ts';
export type { MemoryManagerOptions } from './manager/memory-manager.ts';
export { memoryManager, type MemoryManagerModuleOptions } from './memory-manager-module.ts';
