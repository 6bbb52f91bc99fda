export { containerHash } from './container-hash.ts';
export { absoluteContainerPath } from './container-path.ts';
export {
  containerFieldPath,
  type ContainerKind,
  findPodContainer,
  hasAnyPrivilegedContainer,
  isSidecar,
  type PodContainer,
  podContainers,
} from './containers.ts';
export { podEventObject, type PodEventObject } from './event-object.ts';
export { expandVariables } from './expansion.ts';
export { fnv1a32 } from './fnv.ts';
export { goJson } from './go-json.ts';
export { containerPort, httpGetRequest, type PodHttpGetRequest } from './http-get-request.ts';
export { hugePageSizeName } from './huge-pages.ts';
export {
  nodeAllocatableReservation,
  type NodeReservations,
  overcommittedReservations,
  type ResourceList,
} from './node-allocatable.ts';
export { labelKeyProblems } from './label-key.ts';
export { isLabelValue, isQualifiedName } from './label-syntax.ts';
export { ContainerAnnotation, PodAnnotation, PodLabel } from './labels.ts';
export { labelValue, matchesNodeSelector } from './node-selector.ts';
export { milliCpuToQuota, milliCpuToShares, quotaToMilliCpu, sharesToMilliCpu } from './linux-resources.ts';
export {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  podCgroupName,
  podsCgroupName,
  qosCgroupName,
} from './pod-cgroup-name.ts';
export { podCgroupResources, type PodCgroupOptions, type PodCgroupResources } from './pod-cgroup-resources.ts';
export { canonicalIp, hostNetworkPodIps, sortPodIps } from './pod-ips.ts';
export {
  isCriticalPod,
  isHostNetworkPod,
  isMirrorPod,
  isNodeCriticalPod,
  isStaticPod,
  isTerminalPhase,
} from './pod-kind.ts';
export {
  formatContainerId,
  formatPod,
  parseContainerId,
  parsePodFullName,
  podFullName,
  type PodIdentity,
  podLogDirectoryName,
  podUid,
} from './pod-names.ts';
export {
  hasPodLevelRequests,
  hasPodLevelResources,
  isPodLevelResource,
  podLimits,
  podRequests,
  type PodResourcesOptions,
  type ResourceAmounts,
} from './pod-resources.ts';
export { oomScoreAdj, podQosClass, type QosClass } from './qos.ts';
export { QuantityError, type QuantityErrorCode } from './quantity-error.ts';
export { type ObjectReference, referencedObjects } from './referenced-objects.ts';
export {
  addQuantities,
  compareQuantities,
  cpuMillis,
  formatQuantity,
  isZeroQuantity,
  makeQuantity,
  type ParsedQuantity,
  parseQuantity,
  type QuantityFormat,
  quantityMilliValue,
  quantityNumber,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from './quantity.ts';
export {
  CheckpointError,
  type CheckpointErrorReason,
  formatResourcesCheckpoint,
  parseResourcesCheckpoint,
  type PodResourcesRecord,
} from './resources-checkpoint.ts';
export {
  allContainersCouldRestart,
  containerShouldRestart,
  effectiveRestartPolicy,
  isContainerRestartable,
  matchesRestartAllRule,
  type RestartableContainer,
  shouldAllContainersRestart,
  shouldContainerBeRestarted,
} from './restart-policy.ts';
export { activeContainerStatuses, activeSandbox, newestContainerStatus } from './runtime-lookup.ts';
export {
  type ContainerId,
  emptyRuntimePodStatus,
  type RuntimeContainer,
  type RuntimeContainerResources,
  type RuntimeContainerState,
  type RuntimeContainerStatus,
  type RuntimeContainerUser,
  type RuntimeMount,
  type RuntimePod,
  type RuntimePodStatus,
  type RuntimeSandbox,
  type RuntimeSandboxState,
  type RuntimeSandboxStatus,
} from './runtime-status.ts';
export { toleratesTaint } from './tolerations.ts';
