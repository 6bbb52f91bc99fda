export { canBeDeleted, needsReadinessReconcile, needsReconcile } from './api/api-pod.ts';
export { apiStatuses } from './api/api-statuses-module.ts';
export { mergePodStatus, type MergePodStatusInput } from './api/merge-pod-status.ts';
export { podStatusPatch, statusPatch } from './api/status-patch.ts';
export type { JsonObject } from '@rxlet/kube-api/strategic-merge';
export {
  createStatusCheckpoint,
  type StatusCheckpoint,
  type StatusCheckpointOptions,
  type StatusCheckpointPorts,
} from './checkpoint/status-checkpoint.ts';
export { statusCheckpoint } from './checkpoint/status-checkpoint-module.ts';
export { ownedConditionTypes } from './condition-types.ts';
export { generatePodStatus, type GeneratePodStatusInput } from './generate-pod-status.ts';
export type { PodCgroupValues } from './pod-level-resources.ts';
export { createPodStartLatency, type PodStartLatency, type PodStartLatencyPorts } from './pod-start-latency.ts';
export { resizeConditions, type ResizeConditionsInput } from './resize-conditions.ts';
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
