export { computePodActions, type PodActionsInput } from './compute/compute-pod-actions.ts';
export type { ActuatedResources, ResizableResource } from './compute/container-resize.ts';
export type { ContainerToKill, ContainerToReset, KillReason, PodActions } from './compute/pod-actions.ts';
export type { ProbeResult, ProbeResults } from './compute/probe-results.ts';
export { buildContainerConfig, type ContainerConfigInput } from './config/build-container-config.ts';
export { buildSandboxConfig, type SandboxConfigInput } from './config/build-sandbox-config.ts';
export { ConfigError, type ConfigErrorReason } from './config/config-error.ts';
export { type DnsWarning, podDns, type PodDns } from './config/dns-config.ts';
export { kernelHostname, podHostname, type PodHostname } from './config/hostname.ts';
export { type ImageUser, imageUserOf } from './config/image-user.ts';
export { defaultNodeSettings, type NodeSettings } from './config/node-settings.ts';
export { parseResolvConf, type ResolvConf } from './config/resolv-conf.ts';
export type { FileSystem } from './files/file-system.ts';
export {
  createNodeFileSystem,
  type NodeFileSystemOptions,
  UnsafePathError,
  type UnsafePathReason,
} from './files/node-file-system.ts';
export { createNodeLogDirectories, type NodeLogDirectoriesOptions } from './files/node-log-directories.ts';
export { createNodeLogFiles } from './files/node-log-files.ts';
export { removePodDirectory } from './files/remove-pod-directory.ts';
export { readTerminationMessage, type TerminationMessagePorts } from './files/termination-message.ts';
export type { GarbageCollectionRequest, GarbageCollectionResult } from './gc/collect-garbage.ts';
export type { ContainerRetention } from './gc/select-containers.ts';
export type { KillPodOptions } from './kill/kill-pod.ts';
export {
  type ContainerLogRotator,
  type ContainerLogRotatorOptions,
  type ContainerLogRotatorPorts,
  createContainerLogRotator,
  type RunningContainer,
  type LogRotation,
} from './logs/container-log-rotator.ts';
export type { LogDirectories, LogDirectory, LogEntry } from './logs/log-directories.ts';
export type { LogFile, LogFiles } from './logs/log-files.ts';
export { LogRotationError, type LogRotationErrorReason } from './logs/log-rotation-error.ts';
export type { LogStream } from './logs/parse-log-line.ts';
export type { LogChunk } from './logs/log-output.ts';
export { LogReadError, type LogReadErrorReason } from './logs/log-read-error.ts';
export { readContainerLog, type ReadLogOptions, type ReadLogPorts } from './logs/read-container-log.ts';
export type {
  EnsuredImage,
  EnsureImageRequest,
  ImageEnsurer,
  ImageFailure,
  InternalHooks,
  LifecycleHookRequest,
  LifecycleHooks,
  RuntimeManagerPorts,
} from './ports.ts';
export {
  type ActuatedResourcesOptions,
  type ActuatedResourcesPorts,
  type ActuatedResourcesStore,
  createActuatedResources,
} from './resize/actuated-resources.ts';
export type { MemoryUsage } from './resize/memory-usage.ts';
export type { PodCgroups, PodCgroupValues } from './resize/pod-cgroups.ts';
export { podResizeInProgress } from './resize/pod-resize-in-progress.ts';
export { createRuntimeManager, type RuntimeManager, type RuntimeManagerOptions } from './runtime-manager.ts';
export type { CrashLoopBackoffOptions } from './sync/crash-loop-backoff.ts';
export { FINISH_SENT_CALLS_MS } from './sync/finish-sent-call.ts';
export type { SyncPodOptions } from './sync/sync-pod.ts';
export {
  type ImageFailureReason,
  PodSyncError,
  type PodSyncResult,
  type PodSyncStep,
  type SyncAction,
  type SyncFailureReason,
  type SyncResult,
} from './sync/sync-result.ts';
export { type SupportedFeatures, unsupportedPodFeatures } from './unsupported-pod-features.ts';
