export {
  type AssignedClaim,
  type AssignedDevices,
  assignedMemory,
  type AssignedMemory,
  type ClaimedDevice,
  dynamicResources,
  type DynamicResources,
  exclusiveCpus,
  type ExclusiveCpus,
  type MemoryAssignments,
} from './assigned-resources.ts';
export { type DeviceAmounts, nodeDevices, type NodeDevices } from './node-devices.ts';
export { nodeObject, type NodeObject, nodeResources, type NodeResources } from './node-object.ts';
export {
  type ContainerUse,
  type DiskUse,
  type FileSystemLayout,
  type FileSystemUse,
  type MemoryUse,
  type NodeMemory,
  nodeStatistics,
  type NodeStatistics,
  type NodeSummary,
  type PodUse,
} from './node-statistics.ts';
export {
  type NodeConditionState,
  type NodeStatusContribution,
  type NodeStatusSetter,
  nodeStatusSetters,
} from './node-status.ts';
export { podAllocations, type PodAllocations } from './pod-allocations.ts';
export { podCgroups, type PodCgroups, type PodCgroupValues } from './pod-cgroups.ts';
export { runtimeHealth, type RuntimeHealth } from './runtime-health.ts';
