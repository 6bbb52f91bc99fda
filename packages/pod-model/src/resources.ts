export { hugePageSizeName } from './huge-pages.ts';
export {
  nodeAllocatableReservation,
  type NodeReservations,
  overcommittedReservations,
  type ResourceList,
} from './node-allocatable.ts';
export {
  hasPodLevelRequests,
  hasPodLevelResources,
  isPodLevelResource,
  podLimits,
  podRequests,
  type PodResourcesOptions,
  type ResourceAmounts,
} from './pod-resources.ts';
export { mayUseSwap } from './swap.ts';
