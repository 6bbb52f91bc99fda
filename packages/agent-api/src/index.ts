export {
  type AssignedDevices,
  type AssignedMemory,
  assignedResources,
  type AssignedResources,
  type ContainerAssignment,
} from './assigned-resources.ts';
export type { AdmissionDecision, AdmissionHandler, AdmissionPreparation, AdmissionRejection } from './admission.ts';
export type { AgentCore, EventList, KillPodRequest, PodChange, PodList, SourceProblemList } from './agent-core.ts';
export type { AgentModule, ModuleContext, ModuleParts } from './agent-module.ts';
export type { AddedDevice, AddedMount, ContainerAdditions, ContainerStep } from './container-step.ts';
export type { CorePorts, NodeIdentity } from './core-ports.ts';
export {
  collectionKey,
  type CollectionKey,
  type CollectionLookup,
  type CollectionOptions,
  contribute,
  type Contribution,
} from './collection-key.ts';
export {
  admissionHandlers,
  containerSteps,
  type DebugSection,
  debugSections,
  type EventSink,
  eventSinks,
  type GarbageCollectionStep,
  garbageCollectionSteps,
  type HealthCheck,
  healthChecks,
  type HousekeepingContext,
  type HousekeepingStep,
  housekeepingSteps,
  mirrorPods,
  podEvictors,
  podSources,
  podStatusContributors,
  podSteps,
  statusRestorers,
  statusSinks,
  supportedPodFields,
  syncTriggers,
} from './core-collections.ts';
export { EndpointError } from './endpoint-error.ts';
export { countParameter, flagParameter, timeParameter } from './endpoint-parameters.ts';
export { type EndpointRequest, type EndpointResponse, type HttpEndpoint, httpEndpoints } from './http-endpoint.ts';
export {
  type EnsuredImage,
  type EnsureImageRequest,
  imageEnsurer,
  type ImageEnsurer,
  type ImageFailure,
  type ImageFailureReason,
} from './image-ensurer.ts';
export { imageReclaimer, type ImageReclaimer } from './image-reclaimer.ts';
export { hookRunner, type HookRunner, type LifecycleHookRequest } from './hook-runner.ts';
export {
  type DeleteOptions,
  type GetOptions,
  isKubeError,
  type JsonPatchOperation,
  type KubeClient,
  type KubeClients,
  kubeClients,
  KubeError,
  type KubeErrorReason,
  type KubeObject,
  type KubePatch,
  type ListOptions,
  type ListSelector,
  type ObjectChange,
  type ObjectList,
  type ObjectRef,
  type ObjectWatch,
  type RequestOptions,
  type SubresourceOptions,
  type WatchOptions,
  type WriteOptions,
} from './kube-client.ts';
export { createObjectCopy, type ObjectCopy } from './object-copy.ts';
export type { MirrorPods } from './mirror-pods.ts';
export { type PodToken, type PodTokenRequest, podTokens, type PodTokens } from './pod-tokens.ts';
export {
  podProbes,
  type PodProbes,
  type ProbeResult,
  type ProbeResultChange,
  type ProbeResults,
} from './pod-probes.ts';
export type { PodSource, PodSourceChange, PodSourceProblem } from './pod-source.ts';
export type {
  PodEvictor,
  PodFailure,
  PodStatusContributor,
  PodStatusUpdate,
  StatusRestorer,
  StatusSink,
} from './pod-status.ts';
export { type PodStep, PodStepError, type TerminatingPod } from './pod-step.ts';
export {
  type CredentialOrigin,
  type CredentialRequest,
  type CredentialSource,
  type PullCredential,
  pullCredentials,
  type RegistryAuth,
} from './pull-credentials.ts';
export { pullObserver, type PullObserver } from './pull-observer.ts';
export { servingCertificate, type TlsKeyPair } from './serving-certificate.ts';
export {
  type ServiceAccountIdentity,
  type ServiceAccountTokenRequest,
  serviceAccountTokens,
  type ServiceAccountTokens,
} from './service-account-tokens.ts';
export { terminationMessages, type TerminationMessages } from './termination-messages.ts';
export { provide, type ProvidedService, type ServiceKey, serviceKey, type ServiceLookup } from './service-key.ts';
export { type ConditionalPodField, containerFields, type SupportedPodField } from './supported-pod-field.ts';
export { clusterServices, type ClusterServices } from './cluster-services.ts';
export { type DeviceAmounts, nodeDevices, type NodeDevices } from './node-devices.ts';
export { nodeObject, type NodeObject } from './node-object.ts';
export {
  type NodeConditionState,
  type NodeStatusContribution,
  type NodeStatusSetter,
  nodeStatusSetters,
} from './node-status.ts';
export { nodeResources, type NodeResources } from './node-resources.ts';
export { podAllocations, type PodAllocations } from './pod-allocations.ts';
export { podCgroups, type PodCgroups, type PodCgroupValues } from './pod-cgroups.ts';
export { podObjects, type PodObjects } from './pod-objects.ts';
export {
  type MountedVolume,
  podVolumes,
  type PodVolumes,
  podVolumeUsage,
  type PodVolumeUsage,
  type SubPathRequest,
  type VolumeLimits,
  type VolumeUsage,
} from './pod-volumes.ts';
export { runtimeHealth, type RuntimeHealth } from './runtime-health.ts';
export { runtimeClasses, type RuntimeClasses } from './runtime-classes.ts';
export {
  type ClusterTrustBundles,
  clusterTrustBundles,
  type PodCertificates,
  podCertificates,
} from './pod-credentials.ts';
export { persistentVolumes, type PersistentVolumes } from './persistent-volumes.ts';
export { type PluginDescription, type PluginHandler, pluginRegistry, type PluginRegistry } from './plugin-registry.ts';
export {
  type CsiAccessMode,
  CsiCallError,
  csiDrivers,
  type CsiDrivers,
  type CsiExpandRequest,
  type CsiMount,
  type CsiNode,
  type CsiNodeCapability,
  csiObjects,
  type CsiObjects,
  type CsiPublishedVolume,
  type CsiPublishRequest,
  type CsiStagedVolume,
  type CsiStageRequest,
  type CsiUsage,
  type CsiVolumeStats,
  type CsiVolumeStatsRequest,
  type RegisteredCsiDriver,
} from './csi-drivers.ts';
