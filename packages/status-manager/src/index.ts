export { canBeDeleted, needsReadinessReconcile, needsReconcile } from './api/api-pod.ts';
export { mergePodStatus, type MergePodStatusInput } from './api/merge-pod-status.ts';
export { podStatusPatch, statusPatch } from './api/status-patch.ts';
export type { JsonObject } from './api/strategic-diff.ts';
export type { CheckpointFile } from './checkpoint/checkpoint-file.ts';
export { createNodeCheckpointFile } from './checkpoint/node-checkpoint-file.ts';
export {
  createStatusCheckpoint,
  type StatusCheckpoint,
  type StatusCheckpointOptions,
  type StatusCheckpointPorts,
} from './checkpoint/status-checkpoint.ts';
export { ownedConditionTypes } from './condition-types.ts';
export { generatePodStatus, type GeneratePodStatusInput, type PodFailure } from './generate-pod-status.ts';
export type { PodCgroupValues } from './pod-level-resources.ts';
export { createPodStartLatency, type PodStartLatency, type PodStartLatencyPorts } from './pod-start-latency.ts';
export { noProbeResults, type ProbeResults } from './probe-results.ts';
export {
  createResizeConditions,
  type PendingResizeReason,
  type ResizeConditions,
  type ResizeConditionsPorts,
} from './resize-conditions.ts';
export {
  type ContainerStartResult,
  createStartErrors,
  type StartError,
  type StartErrors,
  type StartErrorsOptions,
} from './start-errors.ts';
export {
  createStatusManager,
  type StatusManager,
  type StatusManagerOptions,
  type StatusManagerPorts,
} from './status-manager.ts';
export type { PodStatusUpdate, StatusSink } from './status-sink.ts';
