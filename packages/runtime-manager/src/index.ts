export { computePodActions, type PodActionsInput } from './compute/compute-pod-actions.ts';
export type { ActuatedResources, ResizableResource } from './compute/container-resize.ts';
export type { ContainerToKill, ContainerToReset, KillReason, PodActions } from './compute/pod-actions.ts';
export { defaultNodeSettings, type NodeSettings } from './config/node-settings.ts';
export { removePodDirectory } from './files/remove-pod-directory.ts';
export type { GarbageCollectionRequest, GarbageCollectionResult } from './gc/collect-garbage.ts';
export type { ContainerRetention } from './gc/select-containers.ts';
export type { KillPodOptions } from './kill/kill-pod.ts';
export { imagesOnNode } from './images-on-node.ts';
export type { RuntimeManagerPorts } from './ports.ts';
export {
  type ActuatedResourcesOptions,
  type ActuatedResourcesPorts,
  type ActuatedResourcesStore,
  createActuatedResources,
} from './resize/actuated-resources.ts';
export type { MemoryUsage } from './resize/memory-usage.ts';
export { podResizeInProgress } from './resize/pod-resize-in-progress.ts';
export { createRuntimeManager, type RuntimeManager, type RuntimeManagerOptions } from './runtime-manager.ts';
export type { CrashLoopBackoffOptions } from './sync/crash-loop-backoff.ts';
export { FINISH_SENT_CALLS_MS } from './sync/finish-sent-call.ts';
export type { SyncPodOptions } from './sync/sync-pod.ts';
export { checkIdPool, defaultIdPool, type IdPool } from './userns/id-mapping.ts';
export {
  PodSyncError,
  type PodSyncResult,
  type SyncAction,
  type SyncFailureReason,
  type SyncResult,
} from './sync/sync-result.ts';
