export { allocateCpus, type CpuAllocation, type CpuAllocationFailure } from './allocate-cpus.ts';
export { containerCpuHints, podCpuHints } from './cpu-hints.ts';
export { cpuManager, type CpuManagerModuleOptions } from './cpu-manager-module.ts';
export type { CpuManagerOptions } from './manager/cpu-manager-options.ts';
export { CpuPolicyError } from './cpu-policy-error.ts';
export {
  assignedCpus,
  containerCpus,
  type CpuAssignments,
  type CpuState,
  removeContainerCpus,
  retainCpus,
  startCpuState,
  type StoredCpuState,
} from './cpu-state.ts';
export { type CpuPolicyGates, type CpuPolicyOptions, parseCpuPolicyOptions } from './policy-options.ts';
export {
  checkUnusedCpuState,
  CPU_STATE_FILE,
  type CpuStateFile,
  formatCpuState,
  parseCpuState,
  restoreCpuState,
} from './state-file.ts';
export {
  createStaticCpuPolicy,
  reservedCpuCount,
  type StaticCpuPolicy,
  type StaticCpuPolicySettings,
} from './static-policy.ts';
