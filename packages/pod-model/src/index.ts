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
export { expandVariables, MAX_EXPANDED_LENGTH } from './expansion.ts';
export { containerPort, httpGetRequest, type PodHttpGetRequest } from './http-get-request.ts';
export { ContainerAnnotation, PodAnnotation, PodLabel } from './labels.ts';
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
export { podQosClass, type QosClass } from './qos.ts';
export { type ObjectReference, referencedObjects } from './referenced-objects.ts';
