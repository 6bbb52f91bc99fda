export { type CgroupMounts, parseCgroupMounts } from './cgroup-mounts.ts';
export { createHostMachine, hostPlatform } from './host-machine.ts';
export type { HugePages, Machine, MachineAddresses, MachineFacts, MachinePlatform } from './machine.ts';
export { machineCapacity } from './machine-capacity.ts';
export { decodeMountField } from './mount-field.ts';
export { cgroupOfProcess, ProcessCgroupError } from './process-cgroup.ts';
export { readSeLinuxPolicy, type SeLinuxPolicy } from './selinux-policy.ts';
export { isSwapOn } from './swaps.ts';
export { countCpus, memoryInfoBytes } from './parse-kernel-files.ts';
